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

    private func write(_ text: String, to file: TemporaryFile) throws {
        try Data(text.utf8).withUnsafeBytes { try file.write($0) }
    }

    @Test func unchangedFileIsVerified() throws {
        let file = try TemporaryFile.make()
        try write("0123456789", to: file)
        try file.verify()
    }

    @Test(arguments: [0, 7, 20]) func fileThatWasCutOrExtendedIsRefused(length: Int) throws {
        let file = try TemporaryFile.make()
        try write("01234", to: file)
        #expect(truncate(file.url.path, length) == 0)
        try write("56789", to: file)
        #expect(throws: SessionError.self) { try file.verify() }
    }

    @Test func errorOfTheSystemIsNotBlamedOnAnotherProgram() throws {
        let file = try TemporaryFile.make()
        file.close()
        let error = #expect(throws: SessionError.self) { try file.verify() }
        #expect(error?.underlyingError?.localizedDescription.hasSuffix(": Bad file descriptor") == true)
    }

    @Test func fileWhosePathHasALinkIsRefused() throws {
        let file = try TemporaryFile.make()
        try write("0123456789", to: file)
        let moved = URL(fileURLWithPath: file.url.path + "-moved")
        try FileManager.default.moveItem(at: file.url, to: moved)
        defer { try? FileManager.default.removeItem(at: moved) }
        try FileManager.default.createSymbolicLink(at: file.url, withDestinationURL: moved)
        #expect(throws: SessionError.self) { try file.verify() }
    }
}
#endif
