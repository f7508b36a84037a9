import Foundation
import MoyaTesting
import MoyaTransport
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct FileReplacementTests {
    private let directory: TestDirectory
    private let target: URL

    init() throws {
        directory = try TestDirectory()
        target = directory.url.appendingPathComponent("file")
    }

    private func download(
        _ text: String = "new", to target: URL? = nil, _ options: DownloadRequest.Options = .removePreviousFile,
        onTheWay: @escaping @Sendable (URL) throws -> Void = { _ in }
    ) async -> SessionError? {
        let target = target ?? self.target
        let session = Session.over(StubbedTransport(.response(200, [], text)))
        let response = await session.download(URLRequest.to("http://a.example/")) { temporary, _ in
            try? onTheWay(temporary)
            return (target, options)
        }.answered()
        #expect((response.fileURL == nil) == (response.error != nil))
        return response.error
    }

    private func code(_ error: SessionError?) -> CocoaError.Code? {
        guard case .downloadedFileMoveFailed(let error, _, _) = error else { return nil }
        return (error as? CocoaError)?.code
    }

    private func text(_ url: URL) throws -> String { try String(contentsOf: url, encoding: .utf8) }

    // MARK: What is replaced

    @Test func replacesAFileWithAnyPermissions() async throws {
        _ = try directory.file("file", "old")
        chmod(target.path, 0)
        #expect(await download() == nil)
        #expect(try text(target) == "new")
        #expect(directory.names == ["file"])
    }

    @Test func replacesALinkInsteadOfItsTarget() async throws {
        let other = try directory.file("other", "untouched")
        try FileManager.default.createSymbolicLink(at: target, withDestinationURL: other)
        #expect(await download() == nil)
        #expect(try text(target) == "new")
        #expect(try text(other) == "untouched")
    }

    @Test func replacesABrokenLink() async throws {
        try FileManager.default.createSymbolicLink(atPath: target.path, withDestinationPath: "/nowhere/at.all")
        #expect(await download() == nil)
        #expect(try text(target) == "new")
    }

    @Test func neverReplacesADirectory() async throws {
        let kept = target.appendingPathComponent("kept")
        try FileManager.default.createDirectory(at: target, withIntermediateDirectories: true)
        try Data("old".utf8).write(to: kept)
        #expect(code(await download()) == .fileWriteFileExists)
        #expect(try text(kept) == "old")
    }

    @Test(arguments: [DownloadOptions.removePreviousFile, []])
    func namesNoOptionThatWouldReplaceADirectory(options: DownloadOptions) async throws {
        try FileManager.default.createDirectory(at: target, withIntermediateDirectories: true)
        let description = try #require(await download("new", to: target, options)).localizedDescription
        #expect(!description.contains("removePreviousFile"))
    }

    @Test func neverReplacesAPipe() async throws {
        #expect(mkfifo(target.path, 0o600) == 0)
        #expect(code(await download()) == .fileWriteFileExists)
        #expect(
            try FileManager.default.attributesOfItem(atPath: target.path)[.type] as? FileAttributeType != .typeRegular)
    }

    @Test(arguments: [DownloadOptions.createIntermediateDirectories, []])
    func replacesNothingByDefault(options: DownloadOptions) async throws {
        _ = try directory.file("file", "old")
        #expect(code(await download("new", to: target, options)) == .fileWriteFileExists)
        #expect(try text(target) == "old")
        try FileManager.default.removeItem(at: target)
        try FileManager.default.createSymbolicLink(atPath: target.path, withDestinationPath: "/nowhere/at.all")
        #expect(code(await download("new", to: target, options)) == .fileWriteFileExists)
    }

    @Test(arguments: [DownloadOptions.removePreviousFile, []])
    func leavesAFileWhereItIsWhenThatIsItsDestination(options: DownloadOptions) async throws {
        let session = Session.over(StubbedTransport(.response(200, [], "new")))
        let response = await session.download(URLRequest.to("http://a.example/")) { temporary, _ in
            (temporary, options)
        }.answered()
        let file = try #require(response.fileURL)
        #expect(try text(file) == "new")
        try FileManager.default.removeItem(at: file)
    }

    // MARK: What is kept

    @Test func keepsTheOldFileWhenTheNewOneIsGone() async throws {
        _ = try directory.file("file", "old")
        let error = await download { try FileManager.default.removeItem(at: $0) }
        #expect(code(error) == .fileNoSuchFile)
        #expect(try text(target) == "old")
    }

    @Test func aNameThatIsTooLongIsAnErrorAndLeavesNoFile() async throws {
        let long = directory.url.appendingPathComponent(String(repeating: "x", count: 300))
        #expect(code(await download(to: long)) == .fileWriteInvalidFileName)
        #expect(directory.names == [])
    }

    /// A reader never finds the place empty, or half a file there.
    @Test func replacesAtomically() async throws {
        let text = String(repeating: "a", count: 40_000)
        _ = try directory.file("file", text)
        let isOver = Lock(false)
        let hasEnded = DispatchSemaphore(value: 0)
        let wrong = Lock(0)
        let path = target.path
        Thread.detachNewThread {
            while !isOver.withLock({ $0 }) {
                var status = stat()
                if stat(path, &status) != 0 || status.st_size != 40_000 { wrong.withLock { $0 += 1 } }
            }
            hasEnded.signal()
        }
        for _ in 0..<300 { #expect(await download(text) == nil) }
        isOver.withLock { $0 = true }
        Self.wait(hasEnded)
        #expect(wrong.withLock { $0 } == 0)
    }

    private static func wait(_ semaphore: DispatchSemaphore) { semaphore.wait() }

    #if os(Linux)
    /// `/dev/shm` is a separate file system.
    @Test func replacesAFileOfAnotherFileSystemToo() async throws {
        let shared = URL(fileURLWithPath: "/dev/shm/moya-tests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: shared, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: shared) }
        let target = shared.appendingPathComponent("file")
        let text = String(repeating: "0123456789", count: 100_000)
        #expect(await download("old", to: target, []) == nil)
        #expect(code(await download("new", to: target, [])) == .fileWriteFileExists)
        #expect(await download(text, to: target) == nil)
        #expect(try self.text(target) == text)
        let attributes = try FileManager.default.attributesOfItem(atPath: target.path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(code(await download(to: shared)) == .fileWriteFileExists)
        #expect(code(await download(to: shared.appendingPathComponent("a/b"))) == .fileNoSuchFile)
        #expect(try FileManager.default.contentsOfDirectory(atPath: shared.path) == ["file"])
    }
    #endif
}
