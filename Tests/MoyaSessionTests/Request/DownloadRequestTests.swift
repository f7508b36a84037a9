import Foundation
import MoyaTesting
import MoyaTransport
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct DownloadRequestTests {
    private static let url = "http://a.example/"

    private func text(_ url: URL?) throws -> String { try String(contentsOf: #require(url), encoding: .utf8) }

    private func download(
        _ session: Session, to target: URL, _ options: DownloadRequest.Options = []
    ) -> DownloadRequest {
        session.download(URLRequest.to(Self.url)) { _, _ in (target, options) }
    }

    // MARK: Where the file is

    @Test func aFileIsAtItsDestination() async throws {
        let server = try await LoopbackServer { try await $0.respond(200, ["X-Name": "1"], body: "hello") }
        let directory = try TestDirectory()
        let target = directory.url.appendingPathComponent("file")
        let seen = Recorded<(URL, HTTPURLResponse)>()
        let session = Session.onTheWire()
        let response = await session.download(URLRequest(url: server.url)) { temporary, response in
            seen.add((temporary, response))
            return (target, [])
        }.answered()
        #expect(response.error == nil && response.fileURL == target && response.value == target)
        #expect(try text(response.fileURL) == "hello")
        #expect(seen.count == 1)
        #expect(seen.all[0].1.value(forHTTPHeaderField: "X-Name") == "1")
        #expect(!FileManager.default.fileExists(atPath: seen.all[0].0.path))
    }

    @Test func withoutADestinationTheFileStaysWhereItWasWritten() async throws {
        let session = Session.over(StubbedTransport(.response(200, [], "hello")))
        let response = await session.download(URLRequest.to(Self.url)).answered()
        let file = try #require(response.fileURL)
        #expect(try text(file) == "hello")
        #expect(file.deletingLastPathComponent().path == FileManager.default.temporaryDirectory.path)
        try FileManager.default.removeItem(at: file)
    }

    @Test func anEmptyBodyIsAnEmptyFile() async throws {
        let directory = try TestDirectory()
        let target = directory.url.appendingPathComponent("file")
        let session = Session.over(StubbedTransport(.response(204)))
        let response = await download(session, to: target).answered()
        #expect(response.error == nil)
        #expect(try text(target) == "")
    }

    @Test func aMissingDirectoryIsAnErrorUnlessItMayBeCreated() async throws {
        let directory = try TestDirectory()
        let target = directory.url.appendingPathComponent("a/b/file")
        let session = Session.over(StubbedTransport(.response(200, [], "hello")))
        let response = await download(session, to: target).answered()
        guard case .downloadedFileMoveFailed(let error, _, target) = response.error else {
            Issue.record("\(String(describing: response.error))")
            return
        }
        #expect((error as? CocoaError)?.code == .fileNoSuchFile)
        #expect(response.fileURL == nil)
        #expect(await download(session, to: target, .createIntermediateDirectories).answered().error == nil)
        #expect(try text(target) == "hello")
    }

    @Test func anExistingFileIsAnErrorUnlessItMayBeRemoved() async throws {
        let directory = try TestDirectory()
        let target = try directory.file("file", "old")
        let session = Session.over(StubbedTransport(.response(200, [], "new")))
        let response = await download(session, to: target).answered()
        guard case .downloadedFileMoveFailed(let error, let source, target) = response.error else {
            Issue.record("\(String(describing: response.error))")
            return
        }
        #expect((error as? CocoaError)?.code == .fileWriteFileExists)
        #expect(!FileManager.default.fileExists(atPath: source.path))
        #expect(try text(target) == "old")
        #expect(await download(session, to: target, .removePreviousFile).answered().error == nil)
        #expect(try text(target) == "new")
        #expect(directory.names == ["file"])
    }

    @Test func aBodyThatIsNotAcceptedIsAtItsDestinationToo() async throws {
        let directory = try TestDirectory()
        let target = directory.url.appendingPathComponent("file")
        let session = Session.over(StubbedTransport(.response(500, [], "sorry")))
        let response = await download(session, to: target).validate().answered()
        #expect(response.error?.responseCode == 500)
        #expect(response.fileURL == target)
        #expect(try text(target) == "sorry")
    }

    @Test func progressGoesUpToOne() async throws {
        let server = try await LoopbackServer { try await $0.respond(body: String(repeating: "x", count: 400_000)) }
        let directory = try TestDirectory()
        let target = directory.url.appendingPathComponent("file")
        let fractions = Recorded<Double>()
        let queue = DispatchQueue(label: "org.moya.tests.progress")
        let session = Session.onTheWire()
        let download = session.download(URLRequest(url: server.url)) { _, _ in (target, []) }
        _ = await download.downloadProgress(queue: queue) { fractions.add($0.fractionCompleted) }.outcome()
        queue.sync {}
        #expect(fractions.all == fractions.all.sorted())
        #expect(fractions.all.last == 1)
    }

    @Test func aDestinationRunsWhereItMayBlock() async throws {
        let directory = try TestDirectory()
        let transport = SteppedTransport(deliversWhereCodeMayBlock: false)
        let session = Session.over(transport)
        let key = DispatchSpecificKey<Bool>()
        session.rootQueue.setSpecific(key: key, value: true)
        let isOnRoot = Recorded<Bool?>()
        let target = directory.url.appendingPathComponent("file")
        let download = session.download(URLRequest.to(Self.url)) { _, _ in
            isOnRoot.add(DispatchQueue.getSpecific(key: key))
            return (target, [])
        }
        download.resume()
        transport.exchanges[0].respond(200, [], "hello")
        #expect(await download.answered().error == nil)
        #expect(isOnRoot.all == [true])
    }

    // MARK: Names that a server chooses

    #if os(Linux)
    /// In a separate process, with a separate home, which on Apple's systems no variable moves.
    @Test func aNameFromTheServerStaysInTheDirectory() async {
        await #expect(processExitsWith: .success) {
            let home = try TestDirectory()
            setenv("XDG_CACHE_HOME", home.url.appendingPathComponent("caches").path, 1)
            setenv("TMPDIR", home.url.path, 1)
            let directory = try #require(FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask).first)
            try #require(directory.path.hasPrefix(home.url.path), "\(directory.path)")
            let names = [
                "../escaped", "..\\\\escaped", "/etc/escaped", "a/../../escaped", "%2e%2e%2fescaped", "..", ".",
                "\0escaped", "~/escaped", "C:\\\\escaped",
            ]
            for name in names {
                let field = ("Content-Disposition", "attachment; filename=\"\(name)\"")
                let session = Session.over(StubbedTransport(.response(200, [field], "hostile")))
                let download = session.download(
                    URLRequest.to("http://a.example/last"),
                    to: DownloadRequest.suggestedDownloadDestination(
                        for: .cachesDirectory, options: [.createIntermediateDirectories, .removePreviousFile]))
                let response = await download.answered()
                let file = try #require(response.fileURL, "\(name): \(String(describing: response.error))")
                let folder = file.deletingLastPathComponent().resolvingSymlinksInPath().path
                #expect(folder == directory.resolvingSymlinksInPath().path, "\(name)")
            }
            #expect(home.names == [directory.lastPathComponent])
        }
    }
    #endif

    // MARK: Temporary files

    // On macOS, TMPDIR does not move the temporary directory.
    #if os(Linux)
    /// In a separate process, with its own temporary files.
    @Test func abandonedDownloadLeavesNoFile() async {
        await #expect(processExitsWith: .success) {
            let temporary = try TemporaryDirectoryOfThisProcess()
            let transport = SteppedTransport()
            let session = Session.over(transport)
            let fields = [("ETag", "\"1\""), ("Content-Length", "10")]
            func begin() -> DownloadRequest {
                let target = URL(fileURLWithPath: "/nowhere/at/all")
                let download = session.download(URLRequest.to("http://a.example/")) { _, _ in (target, []) }
                download.resume()
                transport.exchanges.last?.head(200, fields)
                transport.exchanges.last?.chunk("hello")
                return download
            }
            do {  // a failure half-way
                let download = begin()
                transport.exchanges.last?.end(.truncated)
                #expect(await download.outcome().error != nil)
            }
            #expect(temporary.names == [], "after a failure")
            do {  // a plain cancel
                let download = begin()
                download.cancel()
                #expect(await download.outcome().error?.isExplicitlyCancelledError == true)
            }
            #expect(temporary.names == [], "after a cancel")
            do {  // a file that cannot be moved
                let download = begin()
                transport.exchanges.last?.end()
                #expect(await download.outcome().error?.isDownloadedFileMoveError == true)
            }
            #expect(temporary.names == [], "after a move that failed")
            do {  // resume data that nobody looks at
                let download = begin()
                download.cancel(producingResumeData: true)
                #expect(await download.outcome().error?.isExplicitlyCancelledError == true)
            }
            #expect(temporary.names == [], "after resume data that nobody took")
            do {  // resume data that was taken
                let download = begin()
                download.cancel(producingResumeData: true)
                #expect(download.resumeData != nil)
            }
            #expect(temporary.names.count == 1, "after resume data that was taken")
        }
    }
    #endif
}
