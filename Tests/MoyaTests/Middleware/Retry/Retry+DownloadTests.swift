import Foundation
import Moya
import MoyaSession
import MoyaTesting
import Testing

/// A download that middleware sends again.
@Suite struct RetryDownloadTests {
    private let directory: TestDirectory
    private let target: URL

    init() throws {
        directory = try TestDirectory()
        target = directory.url.appendingPathComponent("file")
    }

    private var text: String? { try? String(contentsOf: target, encoding: .utf8) }

    private func download(
        _ statuses: [Int], through middleware: any MoyaMiddleware, validation: ValidationType = .none,
        options: DownloadRequest.Options = []
    ) async -> Result<Response, MoyaError> {
        let transport = StepwiseTransport { [count = Recorder<Void>()] _, exchange in
            count.append(())
            guard statuses.indices.contains(count.count - 1) else {
                return exchange.end(TransportFailure(.reset, message: "as scripted"))
            }
            exchange.answer(statuses[count.count - 1], "body \(count.count)")
        }
        let provider = MoyaProvider<API>(session: Session(transport: transport), middleware: [middleware])
        let task = RequestTask.downloadDestination { [target] _, _ in (target, options) }
        return await provider.end(of: API(task: task, validationType: validation))
    }

    @Test(arguments: [ValidationType.none, .successCodes])
    func retriedDownloadReachesItsDestination(validation: ValidationType) async throws {
        let result = await download(
            [503, 200], through: RetryMiddleware(attempts: 3, backoff: .none), validation: validation)
        #expect(try result.get().statusCode == 200)
        #expect(text == "body 2")
    }

    @Test func downloadWithARefreshedTokenReachesItsDestination() async throws {
        let refresh = SessionRefresh(
            tokens: InMemoryTokenStore(OAuthTokens(accessToken: "a", refreshToken: "r")), location: .bearer,
            refreshing: { _ in OAuthTokens(accessToken: "b", refreshToken: "r") })
        let result = await download([401, 200], through: refresh)
        #expect(try result.get().statusCode == 200)
        #expect(text == "body 2")
    }

    @Test func lastErrorBodyStaysAtItsDestination() async {
        _ = await download([503, 503], through: RetryMiddleware(attempts: 2, backoff: .none))
        #expect(text == "body 2")
    }

    @Test func errorBodyOfAnEarlierAttemptIsRemoved() async {
        _ = await download([503], through: ClosureMiddleware.repeating(2))
        #expect(text == nil)
    }

    @Test func fileOfASuccessfulAttemptIsKept() async {
        _ = await download([200, 200], through: ClosureMiddleware.repeating(2))
        #expect(text == "body 1")
    }

    @Test func fileOfTheCallerIsKept() async throws {
        try Data("old".utf8).write(to: target)
        _ = await download([503, 200], through: RetryMiddleware(attempts: 2, backoff: .none))
        #expect(text == "old")
    }
}
