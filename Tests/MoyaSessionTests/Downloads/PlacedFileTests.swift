import Foundation
import MoyaTesting
import MoyaTransport
import Testing

@testable import MoyaSession

/// A downloaded file that is removed, or kept because it is no longer the same.
@Suite struct PlacedFileTests {
    private let directory: TestDirectory
    private let target: URL

    init() throws {
        directory = try TestDirectory()
        target = directory.url.appendingPathComponent("file")
    }

    /// Moves a file with the text "new" to the target.
    private func placed(_ options: DownloadOptions = []) throws -> PlacedFile? {
        try FileReplacement.move(try directory.file("source", "new"), to: target, options)
    }

    @Test func removesAMovedFile() throws {
        try #require(try placed()).remove()
        #expect(directory.names == [])
    }

    @Test func removesAFileThatReplacedNone() throws {
        try #require(try placed(.removePreviousFile)).remove()
        #expect(directory.names == [])
    }

    @Test func hasNoValueForAFileThatReplacedAnother() throws {
        _ = try directory.file("file", "old")
        let isRemovable = try placed(.removePreviousFile) != nil
        #expect(!isRemovable)
    }

    @Test func keepsAnotherFile() throws {
        let file = try #require(try placed())
        let other = try directory.file("other", "new")
        #expect(rename(other.path, target.path) == 0)
        file.remove()
        #expect(directory.names == ["file"])
    }

    @Test func keepsAChangedFile() throws {
        let file = try #require(try placed())
        let handle = try FileHandle(forWritingTo: target)
        try handle.seekToEnd()
        try handle.write(contentsOf: Data("more".utf8))
        try handle.close()
        file.remove()
        #expect(directory.names == ["file"])
    }

    @Test func keepsALinkInItsPlace() throws {
        let file = try #require(try placed())
        let moved = directory.url.appendingPathComponent("moved")
        try FileManager.default.moveItem(at: target, to: moved)
        try FileManager.default.createSymbolicLink(at: target, withDestinationURL: moved)
        file.remove()
        #expect(directory.names == ["file", "moved"])
    }

    #if os(Linux)
    /// `/dev/shm` is a separate file system.
    @Test func removesAFileThatWasCopied() throws {
        let source = URL(fileURLWithPath: "/dev/shm/moya-tests-\(UUID().uuidString)")
        try Data("new".utf8).write(to: source)
        try #require(try FileReplacement.move(source, to: target, [])).remove()
        #expect(directory.names == [])
    }
    #endif

    @Test func removesTheFileOfAnEarlierAttempt() throws {
        let download = DownloadedFile()
        download.put(try placed())
        download.remove()
        #expect(directory.names == [])
    }

    @Test func keepsTheFileOfALaterAttempt() throws {
        let download = DownloadedFile()
        download.remove()
        download.put(try placed())
        #expect(directory.names == ["file"])
    }

    @Test func removesAFileThatComesAfterItsAbandonment() throws {
        let download = DownloadedFile()
        download.abandon()
        download.put(try placed())
        #expect(directory.names == [])
    }
}
