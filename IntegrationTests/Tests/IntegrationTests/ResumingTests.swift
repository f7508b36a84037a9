import Foundation
import Moya
import MoyaSession
import Testing

/// Downloads that are interrupted and resumed, against a server with ranges and validators.
@Suite(.needsServers, .timeLimit(.minutes(2)))
struct ResumingTests {
    let servers: Servers
    let session: Session

    init() throws {
        servers = try #require(Servers.running)
        session = .trusting(servers)
    }

    @Test(arguments: [false, true])
    func aDownloadThatIsGoneOnWithIsTheWholeFile(overTLS: Bool) async throws {
        let base = overTLS ? servers.nginxTLS : servers.nginx
        let resumeData = try await brokenOff(base.appendingPathComponent("paced/large.bin"))
        try await withTemporaryDirectory { directory in
            let file = directory.appendingPathComponent("large.bin")
            let response = await end(of: resumeData, at: file)
            #expect(response.error == nil)
            #expect(response.response?.statusCode == 206)
            // Only the rest was requested.
            let range = try #require(response.response?.value(forHTTPHeaderField: "Content-Range"))
            #expect(range.hasPrefix("bytes ") && !range.hasPrefix("bytes 0-"))
            #expect(try sha256(of: file) == sha256(of: servers.largeFile))
        }
    }

    @Test func aDownloadMayBeInterruptedRepeatedly() async throws {
        var resumeData = try await brokenOff(servers.nginx.appendingPathComponent("paced/large.bin"))
        for _ in 0..<3 {
            resumeData = try #require(await brokenOff(session.download(resumingWith: resumeData)))
        }
        try await withTemporaryDirectory { directory in
            let file = directory.appendingPathComponent("large.bin")
            #expect(await end(of: resumeData, at: file).error == nil)
            let hash = try sha256(of: file)
            #expect(try hash == sha256(of: servers.largeFile))
        }
    }

    @Test func aResourceThatHasChangedIsDownloadedFromItsStart() async throws {
        let name = "\(uniqueMark()).bin"
        let served = servers.uploads.appendingPathComponent(name)
        defer { try? FileManager.default.removeItem(at: served) }
        // A hole of 100 MiB, which takes no room.
        #expect(FileManager.default.createFile(atPath: served.path, contents: nil))
        let handle = try FileHandle(forWritingTo: served)
        try handle.truncate(atOffset: 100 << 20)
        try handle.close()
        let resumeData = try await brokenOff(servers.nginx.appendingPathComponent("uploads/\(name)"))

        let changed = Data((0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ 7) })
        try changed.write(to: served)
        try await withTemporaryDirectory { directory in
            let file = directory.appendingPathComponent("changed.bin")
            let response = await end(of: resumeData, at: file)
            #expect(response.error == nil)
            #expect(response.response?.statusCode == 200)
            let bytes = try Data(contentsOf: file)
            #expect(bytes == changed)
        }
    }

    // MARK: Breaking off and going on

    private func brokenOff(_ url: URL) async throws -> Data {
        try #require(await brokenOff(session.download(URLRequest(url: url))))
    }

    /// Starts a download, ends it as soon as some of it has arrived, and returns its resume data.
    private func brokenOff(_ download: DownloadRequest) async -> Data? {
        await withCheckedContinuation { (continuation: CheckedContinuation<Data?, Never>) in
            download
                .downloadProgress(queue: queue) { [weak download] _ in download?.cancel(producingResumeData: true) }
                .response(queue: queue) { continuation.resume(returning: $0.resumeData) }
                .resume()
        }
    }

    private func end(of resumeData: Data, at file: URL) async -> AFDownloadResponse<URL?> {
        await withCheckedContinuation { (continuation: CheckedContinuation<AFDownloadResponse<URL?>, Never>) in
            session.download(resumingWith: resumeData) { _, _ in (file, []) }
                .response(queue: queue) { continuation.resume(returning: $0) }
                .resume()
        }
    }

    private let queue = DispatchQueue(label: "org.moya.tests.resuming")
}
