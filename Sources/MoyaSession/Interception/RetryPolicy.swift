public import Foundation
import MoyaTransport

/// Retries requests that are safe to send twice, after transient failures.
///
/// Waits grow: `exponentialBackoffBase` to the power of the retries so far, times `exponentialBackoffScale`; by default
/// 0.5, 1, 2 seconds, and never more than a day.
///
/// If the failed response has a `Retry-After`, the wait is at least as long. If that exceeds ``maximumRetryAfter``,
/// there is no retry: an earlier one would be refused again, and a later one is too late for the caller.
///
/// A status code is a failure only for a validated request: `request.validate()`.
///
/// `@unchecked`: all stored properties are constant; a subclass is responsible for its own.
open class RetryPolicy: RequestInterceptor, @unchecked Sendable {
    /// The default number of retries: 2.
    public static let defaultRetryLimit: UInt = 2

    /// The base of the growing waits: 2.
    public static let defaultExponentialBackoffBase: UInt = 2

    /// The factor of the growing waits: 0.5 seconds.
    public static let defaultExponentialBackoffScale: Double = 0.5

    /// The methods that are idempotent (RFC 9110 section 9.2.2): DELETE, GET, HEAD, OPTIONS, PUT, QUERY,
    /// TRACE.
    public static let defaultRetryableHTTPMethods: Set<HTTPMethod> = [
        .delete, .get, .head, .options, .put, .query, .trace,
    ]

    /// The status codes of transient failures: 408, 500, 502, 503, 504.
    public static let defaultRetryableHTTPStatusCodes: Set<Int> = [408, 500, 502, 503, 504]

    /// The `URLError` codes of transient failures: those of the network, of name resolution, and of a server that is
    /// not ready.
    public static let defaultRetryableURLErrorCodes: Set<URLError.Code> = [
        .backgroundSessionInUseByAnotherProcess, .backgroundSessionWasDisconnected, .badServerResponse, .callIsActive,
        .cannotConnectToHost, .cannotFindHost, .cannotLoadFromNetwork, .dataNotAllowed, .dnsLookupFailed,
        .downloadDecodingFailedMidStream, .downloadDecodingFailedToComplete, .internationalRoamingOff,
        .networkConnectionLost, .notConnectedToInternet, .secureConnectionFailed, .serverCertificateHasBadDate,
        .serverCertificateNotYetValid, .timedOut,
    ]

    /// The longest accepted `Retry-After`: 60 seconds.
    public static let defaultMaximumRetryAfter: TimeInterval = 60

    private static let longestWait: TimeInterval = 86_400

    /// The maximum number of retries of a request.
    public let retryLimit: UInt
    /// The base of the growing waits, at least 2.
    public let exponentialBackoffBase: UInt
    /// The factor of the growing waits, in seconds.
    public let exponentialBackoffScale: Double
    /// The methods of requests that are retried.
    public let retryableHTTPMethods: Set<HTTPMethod>
    /// The status codes after which a request is retried.
    public let retryableHTTPStatusCodes: Set<Int>
    /// The `URLError` codes after which a request is retried.
    public let retryableURLErrorCodes: Set<URLError.Code>
    /// The longest accepted `Retry-After`, in seconds: 0 accepts no wait; a negative value, no `Retry-After` at all.
    public let maximumRetryAfter: TimeInterval

    /// Makes a policy that accepts a `Retry-After` up to ``defaultMaximumRetryAfter``; a subclass may override it.
    ///
    /// - Parameters:
    ///   - retryLimit: The maximum number of retries of a request.
    ///   - exponentialBackoffBase: The base of the growing waits. Values below 2 would not grow, and count as 2.
    ///   - exponentialBackoffScale: The factor of the growing waits, in seconds; no waits if it is negative or NaN.
    ///   - retryableHTTPMethods: The methods of requests that are retried.
    ///   - retryableHTTPStatusCodes: The status codes after which a request is retried.
    ///   - retryableURLErrorCodes: The `URLError` codes after which a request is retried.
    public init(
        retryLimit: UInt = RetryPolicy.defaultRetryLimit,
        exponentialBackoffBase: UInt = RetryPolicy.defaultExponentialBackoffBase,
        exponentialBackoffScale: Double = RetryPolicy.defaultExponentialBackoffScale,
        retryableHTTPMethods: Set<HTTPMethod> = RetryPolicy.defaultRetryableHTTPMethods,
        retryableHTTPStatusCodes: Set<Int> = RetryPolicy.defaultRetryableHTTPStatusCodes,
        retryableURLErrorCodes: Set<URLError.Code> = RetryPolicy.defaultRetryableURLErrorCodes
    ) {
        self.retryLimit = retryLimit
        self.exponentialBackoffBase = max(2, exponentialBackoffBase)
        self.exponentialBackoffScale = exponentialBackoffScale
        self.retryableHTTPMethods = retryableHTTPMethods
        self.retryableHTTPStatusCodes = retryableHTTPStatusCodes
        self.retryableURLErrorCodes = retryableURLErrorCodes
        maximumRetryAfter = Self.defaultMaximumRetryAfter
    }

    /// Makes a policy.
    ///
    /// - Parameters:
    ///   - retryLimit: The maximum number of retries of a request.
    ///   - exponentialBackoffBase: The base of the growing waits. Values below 2 would not grow, and count as 2.
    ///   - exponentialBackoffScale: The factor of the growing waits, in seconds; no waits if it is negative or NaN.
    ///   - retryableHTTPMethods: The methods of requests that are retried.
    ///   - retryableHTTPStatusCodes: The status codes after which a request is retried.
    ///   - retryableURLErrorCodes: The `URLError` codes after which a request is retried.
    ///   - maximumRetryAfter: The longest accepted `Retry-After`, in seconds; if it is negative or NaN, a response with
    ///     `Retry-After` is never retried.
    public init(
        retryLimit: UInt = RetryPolicy.defaultRetryLimit,
        exponentialBackoffBase: UInt = RetryPolicy.defaultExponentialBackoffBase,
        exponentialBackoffScale: Double = RetryPolicy.defaultExponentialBackoffScale,
        retryableHTTPMethods: Set<HTTPMethod> = RetryPolicy.defaultRetryableHTTPMethods,
        retryableHTTPStatusCodes: Set<Int> = RetryPolicy.defaultRetryableHTTPStatusCodes,
        retryableURLErrorCodes: Set<URLError.Code> = RetryPolicy.defaultRetryableURLErrorCodes,
        maximumRetryAfter: TimeInterval
    ) {
        self.retryLimit = retryLimit
        self.exponentialBackoffBase = max(2, exponentialBackoffBase)
        self.exponentialBackoffScale = exponentialBackoffScale
        self.retryableHTTPMethods = retryableHTTPMethods
        self.retryableHTTPStatusCodes = retryableHTTPStatusCodes
        self.retryableURLErrorCodes = retryableURLErrorCodes
        self.maximumRetryAfter = maximumRetryAfter
    }

    /// Passes on a wait, if the limit is not reached and ``shouldRetry(request:dueTo:)`` returns `true`.
    @preconcurrency
    open func retry(
        _ request: Request, for session: Session, dueTo error: any Error,
        completion: @escaping @Sendable (RetryResult) -> Void
    ) {
        let retryCount = request.retryCount
        guard retryCount < retryLimit, shouldRetry(request: request, dueTo: error) else {
            return completion(.doNotRetry)
        }
        let wait = pow(Double(exponentialBackoffBase), Double(retryCount)) * exponentialBackoffScale
        // A negative or NaN scale gives no wait.
        let backoff = wait > 0 ? min(wait, Self.longestWait) : 0
        guard let asked = request.responseHead.flatMap({ RetryAfter.seconds(in: $0) }) else {
            return completion(.retryWithDelay(backoff))
        }
        completion(asked <= maximumRetryAfter ? .retryWithDelay(max(backoff, asked)) : .doNotRetry)
    }

    /// `true` if a request may be sent again and its failure is transient.
    open func shouldRetry(request: Request, dueTo error: any Error) -> Bool {
        guard let method = request.lastRequest?.method, retryableHTTPMethods.contains(method) else { return false }
        if case .responseTooLarge = error.asAFError { return false }
        if let head = request.responseHead, retryableHTTPStatusCodes.contains(head.status) {
            return head.cacheStatus?.detail != CacheStatus.onlyIfCached
        }
        // TLS has not failed where a redirect arrived: it leads to http and was refused, as it would be again.
        let cause = error.asAFError?.underlyingError as? URLError
        if cause?.code == .secureConnectionFailed, let head = request.responseHead,
            RedirectRules.isRedirect(head.status)
        {
            return false
        }
        return isRetryable(error) || error.asAFError?.underlyingError.map(isRetryable) == true
    }

    private func isRetryable(_ error: any Error) -> Bool {
        // By number: on Linux an `NSError` is never cast to `URLError`, and some numbers are not codes.
        let code: URLError.Code? = error._domain == NSURLErrorDomain ? URLError.Code(rawValue: error._code) : nil
        return code.map(retryableURLErrorCodes.contains) ?? false
    }
}

/// Retries requests that are safe to send twice, only after a broken connection.
///
/// `@unchecked`: like its superclass.
open class ConnectionLostRetryPolicy: RetryPolicy, @unchecked Sendable {
    /// Makes a policy; see ``RetryPolicy`` for the parameters.
    public init(
        retryLimit: UInt = RetryPolicy.defaultRetryLimit,
        exponentialBackoffBase: UInt = RetryPolicy.defaultExponentialBackoffBase,
        exponentialBackoffScale: Double = RetryPolicy.defaultExponentialBackoffScale,
        retryableHTTPMethods: Set<HTTPMethod> = RetryPolicy.defaultRetryableHTTPMethods
    ) {
        super.init(
            retryLimit: retryLimit, exponentialBackoffBase: exponentialBackoffBase,
            exponentialBackoffScale: exponentialBackoffScale, retryableHTTPMethods: retryableHTTPMethods,
            retryableHTTPStatusCodes: [], retryableURLErrorCodes: [.networkConnectionLost])
    }
}

extension RequestRetrier where Self == RetryPolicy {
    /// A policy with default settings.
    public static var retryPolicy: RetryPolicy { RetryPolicy() }

    /// A policy; see ``RetryPolicy`` for the parameters.
    public static func retryPolicy(
        retryLimit: UInt = RetryPolicy.defaultRetryLimit,
        exponentialBackoffBase: UInt = RetryPolicy.defaultExponentialBackoffBase,
        exponentialBackoffScale: Double = RetryPolicy.defaultExponentialBackoffScale,
        retryableHTTPMethods: Set<HTTPMethod> = RetryPolicy.defaultRetryableHTTPMethods,
        retryableHTTPStatusCodes: Set<Int> = RetryPolicy.defaultRetryableHTTPStatusCodes,
        retryableURLErrorCodes: Set<URLError.Code> = RetryPolicy.defaultRetryableURLErrorCodes,
        maximumRetryAfter: TimeInterval = RetryPolicy.defaultMaximumRetryAfter
    ) -> RetryPolicy {
        RetryPolicy(
            retryLimit: retryLimit, exponentialBackoffBase: exponentialBackoffBase,
            exponentialBackoffScale: exponentialBackoffScale, retryableHTTPMethods: retryableHTTPMethods,
            retryableHTTPStatusCodes: retryableHTTPStatusCodes, retryableURLErrorCodes: retryableURLErrorCodes,
            maximumRetryAfter: maximumRetryAfter)
    }
}

extension RequestRetrier where Self == ConnectionLostRetryPolicy {
    /// A policy for broken connections, with default settings.
    public static var connectionLostRetryPolicy: ConnectionLostRetryPolicy { ConnectionLostRetryPolicy() }

    /// A policy for broken connections; see ``RetryPolicy`` for the parameters.
    public static func connectionLostRetryPolicy(
        retryLimit: UInt = RetryPolicy.defaultRetryLimit,
        exponentialBackoffBase: UInt = RetryPolicy.defaultExponentialBackoffBase,
        exponentialBackoffScale: Double = RetryPolicy.defaultExponentialBackoffScale,
        retryableHTTPMethods: Set<HTTPMethod> = RetryPolicy.defaultRetryableHTTPMethods
    ) -> ConnectionLostRetryPolicy {
        ConnectionLostRetryPolicy(
            retryLimit: retryLimit, exponentialBackoffBase: exponentialBackoffBase,
            exponentialBackoffScale: exponentialBackoffScale, retryableHTTPMethods: retryableHTTPMethods)
    }
}
