import Foundation
import MoyaSession

/// What decides whether an attempt is followed by another: no lock, no clock and no wait.
package struct RetryRules: Sendable {
    /// How an attempt ended, as far as that matters here.
    package enum Outcome: Sendable, Hashable {
        /// With something that another attempt would not change.
        case final
        /// With no answer of the server's, for a reason that may pass.
        case interrupted
        /// With a status code that says that it may pass.
        ///
        /// - Parameter retryAfter: How many seconds the server asks to wait, where it does.
        case unavailable(retryAfter: Double?)
    }

    /// What to do about it.
    package enum Decision: Sendable, Hashable {
        /// Another attempt, after a wait.
        case wait(Duration)
        /// The end of the call.
        case stop
    }

    /// How many attempts there may be, the first included.
    package let attempts: Int
    package let backoff: Backoff
    /// What a server may ask to wait; asked for longer, the call ends with the answer that it has.
    package let longestRetryAfter: Duration

    package init(attempts: Int, backoff: Backoff, longestRetryAfter: Duration) {
        self.attempts = attempts
        self.backoff = backoff
        self.longestRetryAfter = longestRetryAfter
    }

    /// Decides after an attempt; whether the budget allows it is asked after this.
    ///
    /// - Parameters:
    ///   - attempt: How many attempts there have been.
    ///   - outcome: How the last one ended.
    ///   - isRepeatable: Whether the call may be sent again at all.
    ///   - remaining: How long it is until the call's total deadline; `nil` when there is none.
    ///   - generator: Chance.
    package func decide(
        after attempt: Int, _ outcome: Outcome, isRepeatable: Bool, remaining: Duration?,
        using generator: inout some RandomNumberGenerator
    ) -> Decision {
        guard isRepeatable, attempt < attempts else { return .stop }
        var wait = backoff.wait(afterAttempt: attempt, using: &generator)
        switch outcome {
        case .final: return .stop
        case .interrupted, .unavailable(nil): break
        case .unavailable(let seconds?):
            // Compared as numbers: a thousand years are more than a Duration of attoseconds should be asked to hold.
            guard seconds <= longestRetryAfter.seconds else { return .stop }
            wait = max(wait, .seconds(seconds))
        }
        if let remaining, wait >= remaining { return .stop }
        return .wait(wait)
    }
}

extension RetryRules.Outcome {
    /// What the end of an attempt means.
    ///
    /// - Parameters:
    ///   - statusCodes: The status codes that may pass.
    ///   - now: What a date in `Retry-After` is counted from.
    package init(_ result: Result<Response, MoyaError>, statusCodes: Set<Int>, now: Date) {
        let response: Response?
        switch result {
        case .success(let answer): response = answer
        case .failure(let error): response = error.response
        }
        if let response, statusCodes.contains(response.statusCode) {
            let value = response.response?.value(forHTTPHeaderField: "Retry-After")
            self = .unavailable(retryAfter: value.flatMap { RetryAfter.seconds($0, now: now) })
        } else if case .failure(.underlying(let error, _)) = result, error.isPassing {
            self = .interrupted
        } else {
            self = .final
        }
    }
}

extension Error {
    /// Whether the network, and not what was asked for, is the likely cause.
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
        return error.domain == NSURLErrorDomain && (URLError.Code(rawValue: error.code)?.isPassing ?? false)
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
