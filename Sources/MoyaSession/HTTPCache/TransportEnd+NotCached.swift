import Foundation
import MoyaTransport

extension TransportEnd {
    /// The end of a request that only the cache may answer, but cannot.
    static var notCached: TransportEnd { TransportEnd(failure: TransportFailure(wrapping: SessionError.notCached)) }
}

extension SessionError {
    /// The error of a request that only the cache may answer, but cannot.
    static var notCached: SessionError {
        let text = "The response is not in the cache, and the cache policy does not let it be loaded."
        return .sessionTaskFailed(error: URLError(.resourceUnavailable, userInfo: [NSLocalizedDescriptionKey: text]))
    }
}
