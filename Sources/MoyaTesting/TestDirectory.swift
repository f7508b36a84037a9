package import Foundation

/// A separate directory for a test, empty at first, removed with the object.
package final class TestDirectory: Sendable {
    package let url: URL

    package init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("moya-tests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// Writes a file, by default an empty one.
    package func file(_ name: String, _ content: Data = Data()) throws -> URL {
        let file = url.appendingPathComponent(name)
        try content.write(to: file)
        return file
    }

    /// Writes the UTF-8 bytes of a text to a file.
    package func file(_ name: String, _ content: String) throws -> URL { try file(name, Data(content.utf8)) }

    package var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: url.path).sorted()) ?? [] }
}

/// A directory that the whole process uses as the temporary one, for a test in a separate process.
package final class TemporaryDirectoryOfThisProcess: Sendable {
    private let directory: TestDirectory

    package init() throws {
        directory = try TestDirectory()
        setenv("TMPDIR", directory.url.path, 1)
    }

    package var url: URL { directory.url }
    package var names: [String] { directory.names }
}
