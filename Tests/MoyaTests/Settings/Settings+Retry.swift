import Foundation
import Moya
import MoyaSession
import MoyaTesting

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension Setting {
    static let retry: [Setting] = [
        Setting("RetryBackoff.exponential#base") { (base: Duration) in await retry(.exponential(base: base)) },
        Setting("RetryBackoff.exponential#factor") { (factor: Double) in
            await retry(.exponential(base: .seconds(1), factor: factor))
        },
        Setting("RetryBackoff.exponential#maximum") { (maximum: Duration) in
            await retry(.exponential(base: .seconds(1), factor: 1e300, maximum: maximum))
            await retry(.exponential(base: maximum, maximum: maximum, jitter: .none))
        },
        Setting("RetryBackoff.constant#duration") { (duration: Duration) in
            await retry(.constant(duration))
            await retry(.constant(duration, jitter: .full))
        },
        Setting("RetryMiddleware.init#attempts") { (attempts: Int) in
            await call([RetryMiddleware(attempts: attempts, backoff: .none)], answers: .response(503))
        },
        Setting("RetryMiddleware.init#statusCodes") { (code: Int) in
            await call([RetryMiddleware(statusCodes: [code])], answers: .response(code))
        },
        Setting("RetryMiddleware.init#longestRetryAfter") { (longest: Duration) in
            for value in ["0", "1", String(repeating: "9", count: 400), "Fri, 31 Dec 9999 23:59:59 GMT"] {
                await call(
                    [RetryMiddleware(longestRetryAfter: longest)], answers: .response(503, ["Retry-After": value]))
            }
        },
        Setting("MoyaMiddleware.retry#attempts") { (attempts: Int) in
            await call([.retry(attempts: attempts, backoff: .none)], answers: .response(503))
        },
        Setting("MoyaMiddleware.retry#statusCodes") { (code: Int) in
            await call([.retry(statusCodes: [code])], answers: .response(code))
        },
        Setting("MoyaMiddleware.retry#longestRetryAfter") { (longest: Duration) in
            for value in ["0", String(repeating: "9", count: 400), "Fri, 31 Dec 9999 23:59:59 GMT"] {
                await call([.retry(longestRetryAfter: longest)], answers: .response(503, ["Retry-After": value]))
            }
        },
        Setting("RetryMiddleware.init#now") { (now: Date) in
            await call(
                [RetryMiddleware(now: { now })],
                answers: .response(503, ["Retry-After": "Fri, 31 Dec 9999 23:59:59 GMT"]))
        },
        Setting("RetryBudget.init#ratio") { (ratio: Double) in
            await call([RetryMiddleware(attempts: 20, budget: RetryBudget(ratio: ratio))], answers: .response(503))
        },
        Setting("RetryBudget.init#reserve") { (reserve: Int) in
            await call([RetryMiddleware(attempts: 20, budget: RetryBudget(reserve: reserve))], answers: .response(503))
        },
        Setting("RetryBudget.init#period") { (period: Duration) in
            await call([RetryMiddleware(attempts: 20, budget: RetryBudget(period: period))], answers: .response(503))
        },
        Setting("RetryPolicy.init#retryLimit") { (limit: UInt) in
            await retry(RetryPolicy(retryLimit: min(limit, 20), exponentialBackoffScale: 0))
            _ = RetryPolicy(retryLimit: limit).retryLimit
        },
        Setting("RetryPolicy.init#exponentialBackoffBase") { (base: UInt) in
            await retry(RetryPolicy(exponentialBackoffBase: base, exponentialBackoffScale: 1e-9))
        },
        Setting("RetryPolicy.init#exponentialBackoffScale") { (scale: Double) in
            await retry(RetryPolicy(exponentialBackoffScale: scale))
        },
        Setting("RetryPolicy.init#retryableHTTPStatusCodes") { (code: Int) in
            await retry(RetryPolicy(retryableHTTPStatusCodes: [code]), status: code)
        },
        Setting("RetryPolicy.init#retryLimit (2)") { (limit: UInt) in
            await retry(RetryPolicy(retryLimit: min(limit, 20), exponentialBackoffScale: 0, maximumRetryAfter: 1))
        },
        Setting("RetryPolicy.init#exponentialBackoffBase (2)") { (base: UInt) in
            await retry(
                RetryPolicy(exponentialBackoffBase: base, exponentialBackoffScale: 1e-9, maximumRetryAfter: 1))
        },
        Setting("RetryPolicy.init#exponentialBackoffScale (2)") { (scale: Double) in
            await retry(RetryPolicy(exponentialBackoffScale: scale, maximumRetryAfter: 1))
        },
        Setting("RetryPolicy.init#retryableHTTPStatusCodes (2)") { (code: Int) in
            await retry(RetryPolicy(retryableHTTPStatusCodes: [code], maximumRetryAfter: 1), status: code)
        },
        Setting("RetryPolicy.init#maximumRetryAfter") { (maximum: TimeInterval) in
            await retry(RetryPolicy(maximumRetryAfter: maximum), after: "1")
            await retry(RetryPolicy(maximumRetryAfter: maximum), after: String(repeating: "9", count: 400))
        },
        Setting("RequestRetrier.retryPolicy#retryLimit") { (limit: UInt) in
            await retry(RetryPolicy.retryPolicy(retryLimit: min(limit, 20), exponentialBackoffScale: 0))
        },
        Setting("RequestRetrier.retryPolicy#exponentialBackoffBase") { (base: UInt) in
            await retry(RetryPolicy.retryPolicy(exponentialBackoffBase: base, exponentialBackoffScale: 1e-9))
        },
        Setting("RequestRetrier.retryPolicy#exponentialBackoffScale") { (scale: Double) in
            await retry(RetryPolicy.retryPolicy(exponentialBackoffScale: scale))
        },
        Setting("RequestRetrier.retryPolicy#retryableHTTPStatusCodes") { (code: Int) in
            await retry(RetryPolicy.retryPolicy(retryableHTTPStatusCodes: [code]), status: code)
        },
        Setting("RequestRetrier.retryPolicy#maximumRetryAfter") { (maximum: TimeInterval) in
            await retry(RetryPolicy.retryPolicy(maximumRetryAfter: maximum), after: String(repeating: "9", count: 400))
        },
        Setting("ConnectionLostRetryPolicy.init#retryLimit") { (limit: UInt) in
            await retry(ConnectionLostRetryPolicy(retryLimit: min(limit, 20), exponentialBackoffScale: 0))
        },
        Setting("ConnectionLostRetryPolicy.init#exponentialBackoffBase") { (base: UInt) in
            await retry(ConnectionLostRetryPolicy(exponentialBackoffBase: base, exponentialBackoffScale: 1e-9))
        },
        Setting("ConnectionLostRetryPolicy.init#exponentialBackoffScale") { (scale: Double) in
            await retry(ConnectionLostRetryPolicy(exponentialBackoffScale: scale))
        },
        Setting("RequestRetrier.connectionLostRetryPolicy#retryLimit") { (limit: UInt) in
            await retry(
                ConnectionLostRetryPolicy.connectionLostRetryPolicy(
                    retryLimit: min(limit, 20), exponentialBackoffScale: 0))
        },
        Setting("RequestRetrier.connectionLostRetryPolicy#exponentialBackoffBase") { (base: UInt) in
            await retry(
                ConnectionLostRetryPolicy.connectionLostRetryPolicy(
                    exponentialBackoffBase: base, exponentialBackoffScale: 1e-9))
        },
        Setting("RequestRetrier.connectionLostRetryPolicy#exponentialBackoffScale") { (scale: Double) in
            await retry(ConnectionLostRetryPolicy.connectionLostRetryPolicy(exponentialBackoffScale: scale))
        },
        Setting("RetryResult.retryWithDelay") { (delay: TimeInterval) in
            await request(session(WaitingRetrier(delay: delay)))
            await request(session(WaitingRetrier(delay: delay)), { $0.timeouts(Deadlines(total: .seconds(1))) })
        },
        Setting("AuthenticationInterceptor.RefreshWindow.init#interval") { (interval: TimeInterval) in
            await refresh(.init(interval: interval, maximumAttempts: 2))
        },
        Setting("AuthenticationInterceptor.RefreshWindow.init#maximumAttempts") { (attempts: Int) in
            await refresh(.init(maximumAttempts: attempts))
        },
    ]

    private static func retry(_ backoff: RetryBackoff) async {
        await call([RetryMiddleware(attempts: 5, backoff: backoff)], answers: .response(503))
    }

    private static func retry(
        _ policy: RetryPolicy, status: Int = 503, after value: String? = nil
    ) async {
        let fields = value.map { LoopbackFields([.init("Retry-After", $0)]) } ?? [:]
        await request(session(policy, answering: .response(status, fields)), { ($0 as? DataRequest)?.validate() })
        await request(session(policy, answering: .failure(.reset)))
    }

    private static func session(
        _ interceptor: any RequestInterceptor, answering answer: ScriptedTransport.Answer = .failure(.reset)
    ) -> Session {
        Session(interceptor: interceptor, transport: ScriptedTransport(answer))
    }

    private static func refresh(_ window: AuthenticationInterceptor<StaleAuthenticator>.RefreshWindow) async {
        let interceptor = AuthenticationInterceptor(
            authenticator: StaleAuthenticator(), credential: StaleCredential(), refreshWindow: window)
        for _ in 0..<3 { await request(session(interceptor, answering: .response(401))) }
    }
}

/// Retries after one delay.
private struct WaitingRetrier: RequestInterceptor {
    let delay: TimeInterval

    func retry(
        _ request: Request, for session: Session, dueTo error: any Error,
        completion: @escaping @Sendable (RetryResult) -> Void
    ) { completion(request.retryCount < 3 ? .retryWithDelay(delay) : .doNotRetry) }
}

/// A credential that each request has to refresh.
struct StaleCredential: AuthenticationCredential {
    var requiresRefresh: Bool { true }
}

final class StaleAuthenticator: Authenticator {
    func apply(_ credential: StaleCredential, to urlRequest: inout URLRequest) {}

    func refresh(
        _ credential: StaleCredential, for session: Session,
        completion: @escaping @Sendable (Result<StaleCredential, any Error>) -> Void
    ) { completion(.success(credential)) }

    func didRequest(
        _ urlRequest: URLRequest, with response: HTTPURLResponse, failDueToAuthenticationError error: any Error
    ) -> Bool { true }

    func isRequest(_ urlRequest: URLRequest, authenticatedWith credential: StaleCredential) -> Bool { true }
}
