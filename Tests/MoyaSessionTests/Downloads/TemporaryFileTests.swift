#if os(Linux)
import Foundation
import Testing

@testable import MoyaSession

@Suite struct TemporaryFileTests {
    /// `true` if the process has the file open; its own tables say so, also with files of other tests open.
    private func isOpen(_ path: String) throws -> Bool {
        let manager = FileManager.default
        return try manager.contentsOfDirectory(atPath: "/proc/self/fd").contains { name in
            (try? manager.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)"))?.hasPrefix(path) == true
        }
    }

    @Test func releasedFileIsClosedAndRemoved() throws {
        var file: TemporaryFile? = try TemporaryFile.make()
        let path = try #require(file?.url.path)
        #expect(try isOpen(path))
        file = nil
        #expect(try !isOpen(path))
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func aFileThatIsKeptIsClosed() throws {
        var file: TemporaryFile? = try TemporaryFile.make()
        let path = try #require(file?.url.path)
        file?.keep()
        file = nil
        #expect(try !isOpen(path))
        #expect(FileManager.default.fileExists(atPath: path))
        try FileManager.default.removeItem(atPath: path)
    }
}
#endif
