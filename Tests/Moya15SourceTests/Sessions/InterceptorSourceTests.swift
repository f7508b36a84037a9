#if TaskAlias
import Foundation
import Moya
import MoyaSession
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

// Interceptors in the style of apps: no `any`, no `@Sendable`, and mutable state in plain properties.

final class UserAgentAdapter: RequestAdapter {
    var calls = 0

    func adapt(
        _ urlRequest: URLRequest, for session: Session, completion: @escaping (Result<URLRequest, Error>) -> Void
    ) {
        calls += 1
        var request = urlRequest
        request.headers.update(.userAgent("App/1"))
        completion(.success(request))
    }
}

final class StateAdapter: RequestAdapter {
    var identifiers: Set<UUID> = []

    func adapt(
        _ urlRequest: URLRequest, for session: Session, completion: @escaping (Result<URLRequest, Error>) -> Void
    ) {
        completion(.success(urlRequest))
    }

    func adapt(
        _ urlRequest: URLRequest, using state: RequestAdapterState,
        completion: @escaping (Result<URLRequest, Error>) -> Void
    ) {
        identifiers.insert(state.requestID)
        adapt(urlRequest, for: state.session, completion: completion)
    }
}

final class TwiceRetrier: RequestRetrier {
    func retry(
        _ request: Request, for session: Session, dueTo error: Error, completion: @escaping (RetryResult) -> Void
    ) {
        completion(request.retryCount < 2 ? .retryWithDelay(0.001) : .doNotRetry)
    }
}

/// The interceptor that is copied from app to app: one refresh, and a list of those who wait for it.
final class WaitingInterceptor: RequestInterceptor {
    private let lock = NSLock()
    private var accessToken = "old"
    private var isRefreshing = false
    private var requestsToRetry: [(RetryResult) -> Void] = []
    private(set) var refreshes = 0

    func adapt(
        _ urlRequest: URLRequest, for session: Session, completion: @escaping (Result<URLRequest, Error>) -> Void
    ) {
        guard urlRequest.url?.absoluteString.hasPrefix("https://storage.example.com") == true else {
            return completion(.success(urlRequest))
        }
        var urlRequest = urlRequest
        urlRequest.setValue("Bearer " + lock.withLock { accessToken }, forHTTPHeaderField: "Authorization")
        completion(.success(urlRequest))
    }

    func retry(
        _ request: Request, for session: Session, dueTo error: Error, completion: @escaping (RetryResult) -> Void
    ) {
        lock.lock()
        defer { lock.unlock() }
        guard let response = request.response, response.statusCode == 401, request.retryCount == 0 else {
            completion(.doNotRetryWithError(error))
            return
        }
        requestsToRetry.append(completion)
        if !isRefreshing {
            refreshTokens { [weak self] succeeded, token in
                guard let strongSelf = self else { return }
                strongSelf.lock.lock()
                defer { strongSelf.lock.unlock() }
                if let token = token { strongSelf.accessToken = token }
                strongSelf.requestsToRetry.forEach { $0(succeeded ? .retry : .doNotRetry) }
                strongSelf.requestsToRetry.removeAll()
            }
        }
    }

    private func refreshTokens(completion: @escaping (Bool, String?) -> Void) {
        isRefreshing = true
        refreshes += 1
        DispatchQueue.global().async {
            completion(true, "new")
            self.lock.withLock { self.isRefreshing = false }
        }
    }
}

class CountingInterceptor: Interceptor {
    var adaptations = 0
    var retries = 0

    override func adapt(
        _ urlRequest: URLRequest, for session: Session, completion: @escaping (Result<URLRequest, Error>) -> Void
    ) {
        adaptations += 1
        super.adapt(urlRequest, for: session, completion: completion)
    }

    override func retry(
        _ request: Request, for session: Session, dueTo error: Error, completion: @escaping (RetryResult) -> Void
    ) {
        retries += 1
        super.retry(request, for: session, dueTo: error, completion: completion)
    }
}

final class EagerRetryPolicy: RetryPolicy {
    override init(
        retryLimit: UInt = 5, exponentialBackoffBase: UInt = 2, exponentialBackoffScale: Double = 0.5,
        retryableHTTPMethods: Set<HTTPMethod> = RetryPolicy.defaultRetryableHTTPMethods,
        retryableHTTPStatusCodes: Set<Int> = RetryPolicy.defaultRetryableHTTPStatusCodes,
        retryableURLErrorCodes: Set<URLError.Code> = RetryPolicy.defaultRetryableURLErrorCodes
    ) {
        super.init(
            retryLimit: retryLimit, exponentialBackoffBase: exponentialBackoffBase,
            exponentialBackoffScale: exponentialBackoffScale, retryableHTTPMethods: retryableHTTPMethods,
            retryableHTTPStatusCodes: retryableHTTPStatusCodes, retryableURLErrorCodes: retryableURLErrorCodes)
    }

    override func shouldRetry(request: Request, dueTo error: Error) -> Bool {
        return request.response?.statusCode == 418 || super.shouldRetry(request: request, dueTo: error)
    }
}

@Suite struct InterceptorSourceTests {
    private let queue = DispatchQueue(label: "callbacks")

    private func end(_ session: Session) async -> Result<Moya.Response, MoyaError> {
        let provider = MoyaProvider<Storage>(session: session)
        return await withCheckedContinuation { continuation in
            provider.request(.get, callbackQueue: queue) { continuation.resume(returning: $0) }
        }
    }

    private func session(_ transport: AnsweringTransport, _ interceptor: RequestInterceptor) -> Session {
        Session(startRequestsImmediately: false, interceptor: interceptor, transport: transport)
    }

    @Test func adaptersAndRetriersOfTheAppsAreComposed() async {
        let transport = AnsweringTransport(status: 500)
        let adapter = UserAgentAdapter()
        let identified = StateAdapter()
        let interceptor = Interceptor(adapters: [adapter, identified], retriers: [TwiceRetrier()])
        _ = await end(session(transport, interceptor))
        #expect(transport.requests.map { $0.value(for: "User-Agent") } == ["App/1", "App/1", "App/1"])
        #expect(adapter.calls == 3)
        #expect(identified.identifiers.count == 1)
        #expect(interceptor.adapters.count == 2 && interceptor.retriers.count == 1)
    }

    @Test func closuresAreAdaptersAndRetriers() async {
        let transport = AnsweringTransport(status: 500)
        var retried: [Int] = []
        let adapter = Adapter { urlRequest, _, completion in
            var urlRequest = urlRequest
            urlRequest.headers["X-Closure"] = "1"
            completion(.success(urlRequest))
        }
        let retrier = Retrier { request, _, _, completion in
            retried.append(request.retryCount)
            completion(request.retryCount == 0 ? .retry : .doNotRetry)
        }
        _ = await end(session(transport, Interceptor(adapter: adapter, retrier: retrier)))
        #expect(transport.requests.map { $0.value(for: "X-Closure") } == ["1", "1"])
        #expect(retried == [0, 1])
    }

    @Test func anInterceptorIsMadeOfTwoClosures() async {
        let transport = AnsweringTransport(status: 500)
        let interceptor = Interceptor(
            adaptHandler: { urlRequest, _, completion in completion(.success(urlRequest)) },
            retryHandler: { _, _, error, completion in completion(.doNotRetryWithError(error)) })
        guard case .failure(.underlying(let error, _)) = await end(session(transport, interceptor)) else {
            Issue.record("no failure")
            return
        }
        #expect(error.asAFError?.isRequestRetryError == true)
    }

    @Test func requestsWaitingForTheRefreshAreResent() async {
        let transport = AnsweringTransport(status: 401)
        let interceptor = WaitingInterceptor()
        _ = await end(session(transport, interceptor))
        #expect(transport.requests.map { $0.value(for: "Authorization") } == ["Bearer old", "Bearer new"])
        #expect(interceptor.refreshes == 1)
    }

    @Test func aSubclassOfTheInterceptorSeesEveryRequest() async {
        let transport = AnsweringTransport(status: 500)
        let inner = CountingInterceptor(adapters: [UserAgentAdapter()], retriers: [TwiceRetrier()])
        _ = await end(session(transport, Interceptor(interceptors: [inner])))
        #expect(transport.requests.count == 3)
        #expect(inner.retries == 3)
    }

    @Test func policiesMayBeSubclassedAndNamed() async {
        let transport = AnsweringTransport(status: 418)
        _ = await end(session(transport, EagerRetryPolicy(retryLimit: 1, exponentialBackoffScale: 0.001)))
        #expect(transport.requests.count == 2)
        let named: [RequestInterceptor] = [
            .retryPolicy, .connectionLostRetryPolicy, .interceptor,
            .adapter { urlRequest, _, completion in completion(.success(urlRequest)) },
            .retrier { _, _, _, completion in completion(.doNotRetry) },
        ]
        #expect(named.count == 5)
        let policy = RetryPolicy(
            retryLimit: 3, exponentialBackoffBase: 2, exponentialBackoffScale: 0.5,
            retryableHTTPMethods: RetryPolicy.defaultRetryableHTTPMethods.union([.post]),
            retryableHTTPStatusCodes: [503], retryableURLErrorCodes: [.timedOut])
        #expect(policy.retryLimit == 3)
    }

    @Test func aRequestHasItsOwnInterceptor() async {
        let transport = AnsweringTransport()
        let session = Session(transport: transport)
        let data: Data? = await withCheckedContinuation { continuation in
            session.request("https://example.com/get", interceptor: Interceptor(adapters: [UserAgentAdapter()]))
                .validate()
                .response(queue: queue) { continuation.resume(returning: $0.data) }
        }
        #expect(data == Data("from the wire".utf8))
        #expect(transport.requests.first?.value(for: "User-Agent") == "App/1")
    }
}
#endif
