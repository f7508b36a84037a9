import Foundation

/// A directory of the test's own, empty at first, removed with the object.
final class TestDirectory: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("moya-tests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func file(_ name: String, _ content: String = "") throws -> URL {
        let file = url.appendingPathComponent(name)
        try Data(content.utf8).write(to: file)
        return file
    }

    var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: url.path).sorted()) ?? [] }
}

/// A directory that all of this process takes for the temporary one, from now on; for a process that one test has to
/// itself.
final class TemporaryDirectoryOfThisProcess: Sendable {
    private let directory: TestDirectory

    init() throws {
        directory = try TestDirectory()
        setenv("TMPDIR", directory.url.path, 1)
    }

    var url: URL { directory.url }
    var names: [String] { directory.names }
}
