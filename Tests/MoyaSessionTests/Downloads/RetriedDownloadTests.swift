import Foundation
import MoyaTesting
import MoyaTransport
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A download whose first response is refused after its body was moved to the destination.
@Suite struct RetriedDownloadTests {
    private static let url = "http://a.example/"
    private let directory: TestDirectory
    private let target: URL

    init() throws {
        directory = try TestDirectory()
        target = directory.url.appendingPathComponent("file")
    }

    /// The response of a download that is retried once, after a 503.
    private func response(
        _ options: DownloadRequest.Options = [],
        then second: StubbedTransport.Answer = .response(200, [], "good"),
        validation: @escaping DownloadRequest.Validation = { _, _, _ in .success(()) }
    ) async -> AFDownloadResponse<URL?> {
        let transport = StubbedTransport(.response(503, [], "sorry"), second)
        let session = Session.over(transport, interceptor: Intercepting.retrying(1))
        // A request without its session is not retried.
        defer { withExtendedLifetime(session) {} }
        return await session.download(URLRequest.to(Self.url)) { [target] _, _ in (target, options) }
            .validate(validation).validate().answered()
    }

    private var text: String? { try? String(contentsOf: target, encoding: .utf8) }

    @Test func reachesItsDestination() async {
        let response = await response()
        #expect(response.error == nil && response.fileURL == target)
        #expect(text == "good")
    }

    @Test func leavesTheErrorBodyOfTheLastAttempt() async {
        let response = await response(then: .response(500, [], "broken"))
        #expect(response.error?.responseCode == 500 && response.fileURL == target)
        #expect(text == "broken")
    }

    @Test func leavesNoErrorBodyOfAnEarlierAttempt() async {
        let response = await response(then: .failure(.reset))
        #expect(response.error != nil && response.fileURL == nil)
        #expect(directory.names == [])
    }

    @Test func removesTheErrorBodyFromTheTemporaryDirectory() async throws {
        let transport = StubbedTransport(.response(503, [], "sorry"), .response(200, [], "good"))
        let session = Session.over(transport, interceptor: Intercepting.retrying(1))
        defer { withExtendedLifetime(session) {} }
        let files = Recorded<URL?>()
        let download = session.download(URLRequest.to(Self.url)).validate { _, _, file in
            files.add(file)
            return .success(())
        }.validate()
        let response = await download.answered()
        let first = try #require(files.all.first ?? nil)
        #expect(!FileManager.default.fileExists(atPath: first.path))
        if let file = response.fileURL { try FileManager.default.removeItem(at: file) }
    }

    // MARK: Kept files

    @Test func keepsAFileThatTheCallerPutInPlaceOfTheErrorBody() async {
        let response = await response { [target] _, response, _ in
            if response.statusCode == 503 {
                try? FileManager.default.removeItem(at: target)
                try? Data("mine!".utf8).write(to: target)
            }
            return .success(())
        }
        #expect(response.error?.isDownloadedFileMoveError == true)
        #expect(text == "mine!")
    }

    @Test func keepsAFileThatWasThereBefore() async throws {
        _ = try directory.file("file", "old")
        let response = await response()
        #expect(response.error?.isDownloadedFileMoveError == true)
        #expect(text == "old")
    }

    /// The replaced file cannot be restored, so its path is never empty.
    @Test func keepsTheFileThatReplacedAnother() async throws {
        _ = try directory.file("file", "old")
        _ = await response(.removePreviousFile, then: .failure(.reset))
        #expect(text == "sorry")
    }

    @Test func replacesTheFileThatReplacedAnother() async throws {
        _ = try directory.file("file", "old")
        #expect(await response(.removePreviousFile).error == nil)
        #expect(text == "good")
    }
}
