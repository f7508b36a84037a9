import Foundation
import Testing

/// Every seed input of the fuzzers, and every input that ever failed.
@Suite struct FuzzReplayTests {
    @Test(arguments: FuzzTarget.all.map(\.name))
    func everyPropertyHoldsForTheKeptInputs(of name: String) throws {
        let target = try #require(FuzzTarget.all.first { $0.name == name })
        let inputs = try KeptInput.all(of: name)
        #expect(!inputs.isEmpty, "there is nothing in Corpus/\(name)")
        for input in inputs {
            do { try target.check(input.bytes) } catch { Issue.record("\(input.path): \(error)") }
        }
    }

    /// Inputs cut off anywhere, and with a byte changed: more of the same kind, without a fuzzer.
    @Test(arguments: FuzzTarget.all.map(\.name))
    func everyPropertyHoldsForInputsLikeThem(of name: String) throws {
        let target = try #require(FuzzTarget.all.first { $0.name == name })
        for input in try KeptInput.all(of: name) where input.bytes.count <= 512 {
            for (index, byte) in input.bytes.enumerated() {
                var changed = input.bytes
                changed[index] = byte &+ UInt8(truncatingIfNeeded: index &* 37 &+ 1)
                for bytes in [Array(input.bytes[..<index]), changed] {
                    do { try target.check(bytes) } catch { Issue.record("\(input.path), \(bytes): \(error)") }
                }
            }
        }
    }

    @Test func everyFolderOfInputsBelongsToATarget() throws {
        for folder in ["Corpus", "Failures"] {
            let names = try FileManager.default.contentsOfDirectory(atPath: KeptInput.directory + folder)
            #expect(Set(names).isSubset(of: FuzzTarget.all.map(\.name)), "\(folder): \(names)")
        }
    }
}

/// A file in `Corpus` or `Failures`.
private struct KeptInput {
    let path: String
    let bytes: [UInt8]

    /// FuzzTesting, which this file is in.
    static let directory =
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().path + "/"

    static func all(of target: String) throws -> [KeptInput] {
        try ["Corpus", "Failures"].flatMap { folder in
            let path = "\(directory)\(folder)/\(target)"
            guard FileManager.default.fileExists(atPath: path) else { return [KeptInput]() }
            return try FileManager.default.contentsOfDirectory(atPath: path).sorted().map { name in
                let file = "\(path)/\(name)"
                return KeptInput(path: file, bytes: Array(try Data(contentsOf: URL(fileURLWithPath: file))))
            }
        }
    }
}
