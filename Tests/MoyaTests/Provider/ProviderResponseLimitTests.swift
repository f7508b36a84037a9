import Foundation
import Moya
import MoyaSession
import MoyaTesting
import Testing

/// Bounds on a response, of a session, a target and a call: the nearest one to the call counts.
@Suite struct ProviderResponseLimitTests {
    private struct Bounded: TargetType {
        var maximumResponseBytes: Int?
        var task = RequestTask.requestPlain

        var baseURL: URL { URL(string: "https://example.com")! }
        var path: String { "" }
        var method: Moya.Method { .get }
        var headers: [String: String]? { nil }
    }

    private func provider(
        _ bytes: Int? = 10, middleware: [any MoyaMiddleware] = [], stub: StubBehavior = .never
    ) -> MoyaProvider<MultiTarget> {
        let transport = ScriptedTransport(.response(200, body: #"["0123456"]"#))
        return MoyaProvider(
            stubClosure: { _ in stub }, session: Session(maximumResponseBytes: bytes, transport: transport),
            middleware: middleware)
    }

    /// The bound that a call went beyond.
    private func bound(
        _ call: () async throws(MoyaError) -> some Any
    ) async -> Int? {
        do throws(MoyaError) {
            _ = try await call()
        } catch {
            guard case .underlying(let error as SessionError, _) = error,
                case .responseTooLarge(let bytes) = error
            else { return nil }
            return bytes
        }
        return nil
    }

    // The response has 11 bytes.
    @Test(
        arguments: [
            (10, nil, nil, 10), (11, nil, nil, nil), (nil, nil, nil, nil), (11, 5, nil, 5), (10, 11, nil, nil),
            (11, 11, 3, 3), (10, 9, 11, nil), (10, 9, .max, nil), (11, nil, -1, 0), (11, .min, nil, 0),
        ] as [(Int?, Int?, Int?, Int?)])
    func theNearestBoundToTheCallCounts(session: Int?, target: Int?, own: Int?, exceeded: Int?) async {
        let target = MultiTarget(Bounded(maximumResponseBytes: target))
        for middleware in [[], [RetryMiddleware(attempts: 3)]] as [[any MoyaMiddleware]] {
            let provider = provider(session, middleware: middleware)
            let found = await bound { () throws(MoyaError) in
                guard let own else { return try await provider.request(target) }
                return try await provider.request(target, maximumResponseBytes: own)
            }
            #expect(found == exceeded)
        }
    }

    @Test func boundsADecodedCall() async {
        let (provider, target) = (provider(), MultiTarget(Bounded()))
        #expect(await bound { () throws(MoyaError) in try await provider.request(target, as: [String].self) } == 10)
        let isTaken = await bound { () throws(MoyaError) in
            try await provider.request(target, as: [String].self, maximumResponseBytes: 11)
        }
        #expect(isTaken == nil)
    }

    @Test func boundsACallWithACompletion() async throws {
        let (provider, end) = (provider(), Promise<Result<Response, MoyaError>>())
        provider.request(MultiTarget(Bounded()), maximumResponseBytes: 7, callbackQueue: .global()) { end.fulfill($0) }
        let result = try await end.value
        #expect(await bound { () throws(MoyaError) in try result.get() } == 7)
    }

    @Test func boundsACallOfASubclass() async {
        final class Own: MoyaProvider<MultiTarget>, @unchecked Sendable {}
        let provider = Own(session: Session(transport: ScriptedTransport(.response(200, body: "0123456"))))
        let target = MultiTarget(Bounded())
        #expect(
            await bound { () throws(MoyaError) in try await provider.request(target, maximumResponseBytes: 6) } == 6)
    }

    @Test(arguments: [true, false])
    func boundsAStubOfASubclass(isAwaited: Bool) async {
        final class Own: MoyaProvider<Sampled>, @unchecked Sendable {}
        let provider = Own(stubClosure: MoyaProvider.immediatelyStub, callbackQueue: .global())
        let found = await bound { () throws(MoyaError) in
            if isAwaited { return try await provider.request(Sampled(), maximumResponseBytes: 6) }
            return try await withCheckedContinuation { end in
                _ = provider.request(Sampled(), maximumResponseBytes: 6) { end.resume(returning: $0) }
            }.get()
        }
        #expect(found == 6)
    }

    private struct Sampled: TargetType {
        var baseURL: URL { URL(string: "https://example.com")! }
        var path: String { "" }
        var method: Moya.Method { .get }
        var task: RequestTask { .requestPlain }
        var headers: [String: String]? { nil }
        var sampleData: Data { Data("0123456".utf8) }
    }

    @Test func limitsADownloadOfATargetWithALimit() async {
        let task = RequestTask.downloadDestination { _, _ in
            (FileManager.default.temporaryDirectory.appendingPathComponent("moya-\(UUID().uuidString)"), [])
        }
        let provider = provider()
        let bounded = MultiTarget(Bounded(maximumResponseBytes: 10, task: task))
        #expect(await bound { () throws(MoyaError) in try await provider.request(bounded) } == 10)
    }

    @Test func isNotRetried() async {
        let transport = ScriptedTransport(.response(503, body: "01234567890"))
        let provider = MoyaProvider<MultiTarget>(
            session: Session(maximumResponseBytes: 10, transport: transport), middleware: [RetryMiddleware(attempts: 3)]
        )
        #expect(await bound { () throws(MoyaError) in try await provider.request(MultiTarget(Bounded())) } == 10)
        #expect(transport.requests.count == 1)
    }
}
