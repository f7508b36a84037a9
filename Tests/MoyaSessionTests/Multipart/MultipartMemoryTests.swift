#if os(Linux)
import Foundation
import Testing

@testable import MoyaSession

/// The memory of a form, each measured in a separate process.
@Suite(.serialized) struct MultipartMemoryTests {
    /// The upper bound of a form's memory, however large its parts are.
    private static let bound = 16 << 20

    @Test func writingAFormToAFileTakesAFewBuffers() async {
        await #expect(processExitsWith: .success) {
            let directory = try TemporaryDirectory()
            let form = try Self.form(in: directory, size: 256 << 20)
            let output = directory.url.appendingPathComponent("output")
            let growth = try Self.peakGrowth { try form.writeEncodedData(to: output) }
            #expect(growth < Self.bound)
            let size = try FileManager.default.attributesOfItem(atPath: output.path)[.size] as? Int
            #expect(try #require(size) > 256 << 20)
        }
    }

    @Test func streamingAFormTakesAFewBuffers() async {
        await #expect(processExitsWith: .success) {
            let directory = try TemporaryDirectory()
            let form = try Self.form(in: directory, size: 2 << 30)
            let stream = try #require(InputStream(fileAtPath: directory.url.appendingPathComponent("part.bin").path))
            form.append(stream, name: "n", fileName: "f", mimeType: "a/b")
            let reader = try form.makeBodyReader()
            var length = 0
            let growth = try Self.peakGrowth {
                var buffer = [UInt8](repeating: 0, count: 1 << 20)
                while case let count = try buffer.withUnsafeMutableBytes({ try reader.read(into: $0) }), count > 0 {
                    length += count
                }
            }
            #expect(length > 4 << 30)
            #expect(growth < Self.bound)
        }
    }

    /// A form with a file of nothing but a length.
    private static func form(in directory: TemporaryDirectory, size: Int) throws -> RequestMultipartFormData {
        let file = try directory.file("part.bin", "")
        let handle = try FileHandle(forWritingTo: file)
        try handle.truncate(atOffset: UInt64(size))
        try handle.close()
        let form = RequestMultipartFormData()
        form.append(file, withName: "n")
        return form
    }

    /// By how many bytes the most memory that the process ever held grows.
    private static func peakGrowth(_ work: () throws -> Void) throws -> Int {
        // The peak so far may exceed the current memory, and would hide further allocations.
        let references = try FileHandle(forWritingTo: URL(fileURLWithPath: "/proc/self/clear_refs"))
        try references.write(contentsOf: Data("5".utf8))
        try references.close()
        let before = try peak()
        try work()
        return try peak() - before
    }

    private static func peak() throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
        return try #require(Int(line.split(separator: " ").dropLast().last ?? "")) << 10
    }
}
#endif
