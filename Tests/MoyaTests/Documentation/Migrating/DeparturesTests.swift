import Foundation
import Testing

/// The package has everything that MIGRATING.md lists.
@Suite struct DeparturesTests {
    private static let root = URL(filePath: #filePath).pathComponents.dropLast(5).joined(separator: "/")

    private func text(_ path: String) throws -> String {
        try String(contentsOfFile: "\(Self.root)/\(path)", encoding: .utf8)
    }

    private func swiftFiles(in folder: String) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: "\(Self.root)/\(folder)")
            .filter { $0.hasSuffix(".swift") }
            .map { try text("\(folder)/\($0)") }
    }

    /// The names in the last of four columns, in tables where that column has tests.
    private static func tests(in text: String) -> [Substring] {
        var isColumnOfTests = false
        return text.split(separator: "\n").flatMap { line -> [Substring] in
            let columns = line.split(separator: "|", omittingEmptySubsequences: false)
            guard line.hasPrefix("| "), columns.count == 6 else {
                if !line.hasPrefix("|") { isColumnOfTests = false }
                return []
            }
            if columns[4] == " test " || columns[4] == " 测试 " { isColumnOfTests = true }
            return isColumnOfTests ? columns[4].matches(of: /`(\w+)`/).map(\.1) : []
        }
    }

    @Test(arguments: ["MIGRATING.md", "MIGRATING.zh.md"]) func everyTestThatHoldsADepartureIsThere(path: String) throws
    {
        let named = try Self.tests(in: text(path))
        #expect(named.count > 30, "The tables were not found.")
        let sources = try (swiftFiles(in: "Tests") + swiftFiles(in: "IntegrationTests/Tests")).joined()
        let missing = named.filter { !sources.contains("func \($0)(") }
        #expect(missing.isEmpty, "There are no tests of these names.")
    }

    @Test(arguments: ["MIGRATING.md", "MIGRATING.zh.md"]) func everyOlderNameHasAMessage(path: String) throws {
        let migrating = try text(path)
        let declared = try swiftFiles(in: "Sources/Moya/Migration").joined().matches(
            of: /public (?:static |final |class |convenience )*(?:func|var|typealias) (\w+)/)
        #expect(declared.count > 15, "The older names were not found.")
        let untold = declared.map(\.1).filter { !migrating.contains($0) }
        #expect(untold.isEmpty, "\(path) does not tell of these.")
    }
}
