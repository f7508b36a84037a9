import Foundation

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

// The end of a request by way of its session, which is kept for so long.

extension Session {
    /// Starts a request that fails unless the server answers with 200, and waits for its end.
    func outcome() async -> RequestOutcome { await call().outcome() }

    /// Starts a request, unless it was started, and waits for its end.
    func outcome(of request: Request) async -> RequestOutcome { await request.outcome() }
}

extension RequestOutcome {
    /// The error of an adapter.
    var adaptationError: (any Error)? {
        if case .requestAdaptationFailed(let error) = error { error } else { nil }
    }

    /// The error of a retrier.
    var retryError: (any Error)? {
        if case .requestRetryFailed(let error, _) = error { error } else { nil }
    }
}
