import Foundation
import MoyaSession

/// Decides whether an attempt is followed by another, without a lock, a clock and a wait.
package struct RetryRules: Sendable {
    /// The part of an attempt's result that the rules need.
    package enum Outcome: Sendable, Hashable {
        /// A result that another attempt would not change.
        case final
        /// No response, for a transient reason.
        case interrupted
        /// A status code of a transient failure.
        ///
        /// - Parameter retryAfter: The server's `Retry-After` in seconds, if any.
        case unavailable(retryAfter: Double?)
    }

    /// The maximum number of attempts, including the first.
    package let attempts: Int
    package let backoff: RetryBackoff
    /// The longest accepted `Retry-After`; with a longer one the call ends with its current response.
    package let longestRetryAfter: Duration

    package init(attempts: Int, backoff: RetryBackoff, longestRetryAfter: Duration) {
        self.attempts = attempts
        self.backoff = backoff
        self.longestRetryAfter = longestRetryAfter
    }

    /// Decides on another attempt; the budget is checked later.
    ///
    /// - Parameters:
    ///   - attempt: The number of attempts so far.
    ///   - outcome: The result of the last attempt.
    ///   - isRepeatable: `true` if the call may be sent again.
    ///   - remaining: The time until the call's total deadline; `nil` without one.
    ///   - generator: The source of random numbers.
    /// - Returns: The wait before another attempt; `nil` for none.
    package func wait(
        after attempt: Int, _ outcome: Outcome, isRepeatable: Bool, remaining: Duration?,
        using generator: inout some RandomNumberGenerator
    ) -> Duration? {
        guard isRepeatable, attempt < attempts else { return nil }
        var wait = backoff.wait(afterAttempt: attempt, using: &generator)
        switch outcome {
        case .final: return nil
        case .interrupted, .unavailable(nil): break
        case .unavailable(let seconds?):
            // Compared as numbers: a server may send more than a Duration can represent.
            guard seconds <= longestRetryAfter.seconds else { return nil }
            wait = max(wait, Duration(clampingSeconds: seconds))
        }
        if let remaining, wait >= remaining { return nil }
        return wait
    }
}

extension RetryRules.Outcome {
    /// Classifies the result of an attempt.
    ///
    /// - Parameters:
    ///   - statusCodes: The status codes of transient failures.
    ///   - now: The reference time for a date in `Retry-After`.
    package init(_ result: Result<Response, MoyaError>, statusCodes: Set<Int>, now: Date) {
        if case .failure(.underlying(let error, _)) = result, case .responseTooLarge = error as? SessionError {
            self = .final
            return
        }
        if let response = result.response, statusCodes.contains(response.statusCode) {
            // The cache's own answer to a request that no server may answer; read here, for it costs more than the rest.
            guard response.cacheStatus?.detail != CacheStatus.onlyIfCached else {
                self = .final
                return
            }
            let value = response.response?.value(forHTTPHeaderField: "Retry-After")
            let sent = response.response?.value(forHTTPHeaderField: "Date")
            self = .unavailable(retryAfter: value.flatMap { RetryAfter.seconds($0, sent: sent, now: now) })
        } else if case .failure(.underlying(let error, _)) = result, error.isPassing {
            self = .interrupted
        } else {
            self = .final
        }
    }
}

extension Error {
    /// `true` if the network, instead of the request, is the likely cause.
    fileprivate var isPassing: Bool {
        if let sessionError = self as? SessionError {
            switch sessionError {
            case .sessionTaskFailed(let error):
                if let failure = sessionError.transportFailure { return failure.kind.isPassing }
                return (error as? URLError)?.code.isPassing ?? false
            default: return false
            }
        }
        if let urlError = self as? URLError { return urlError.code.isPassing }
        guard type(of: self) is NSError.Type else { return false }
        let error = self as NSError
        // Not every number is a code on Linux.
        let code: URLError.Code? = URLError.Code(rawValue: error.code)
        return error.domain == NSURLErrorDomain && code?.isPassing ?? false
    }
}

extension TransportFailure.Kind {
    fileprivate var isPassing: Bool {
        switch self {
        case .dns, .connect, .timeout, .reset, .truncated: true
        case .tls, .protocolViolation, .contentDecoding, .requestBody, .unsupported, .cancelled, .other: false
        }
    }
}

extension URLError.Code {
    fileprivate var isPassing: Bool {
        switch self {
        case .timedOut, .cannotFindHost, .cannotConnectToHost, .networkConnectionLost, .dnsLookupFailed,
            .notConnectedToInternet:
            true
        default: false
        }
    }
}
