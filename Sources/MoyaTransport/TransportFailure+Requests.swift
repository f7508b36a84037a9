/// The failures of requests that every transport over a network refuses or ends in the same way.
extension TransportFailure {
    package static let cancelled = TransportFailure(.cancelled, message: "The exchange was cancelled.")

    package static func requestBody(_ message: String, cause: (any Error)? = nil) -> TransportFailure {
        TransportFailure(.requestBody, message: message, cause: cause)
    }

    package static func malformedField(_ name: String) -> TransportFailure {
        TransportFailure(
            .unsupported,
            message: "The header field \(name.escapingControls) has a name or a value that cannot be sent.")
    }

    /// A part of a request that cannot be sent.
    package static func unsendable(_ problem: String) -> TransportFailure {
        TransportFailure(.unsupported, message: problem)
    }

    /// A time limit of the exchange that has passed.
    ///
    /// - Parameter code: The transport's own code for it.
    package static func timeout(_ timeout: Timeout, seconds: Double?, code: Int) -> TransportFailure {
        let seconds = seconds ?? 0
        let message =
            switch timeout {
            case .connect: "No connection was established within \(seconds) seconds."
            case .idle: "Nothing was sent or received for \(seconds) seconds."
            case .total: "The exchange was not over after \(seconds) seconds."
            }
        return TransportFailure(.timeout(timeout), message: message, code: code)
    }
}

extension TransportEnd {
    package static let cancelled = TransportEnd(failure: .cancelled)
}
