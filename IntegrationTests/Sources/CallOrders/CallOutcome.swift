public import Moya
import MoyaSession

/// The end of a call.
public struct CallOutcome: Codable, Sendable {
    /// The name of the call in its order.
    public var id: Int
    /// The status code, if there was a response.
    public var status: Int?
    /// The number of body bytes received.
    public var bytes = 0
    /// The kind of the failure, such as `dns` or `timeout connect`, if there was one.
    public var failure: String?
    /// The human-readable message of the failure.
    public var message = ""
    /// The duration of the call.
    public var seconds: Double

    /// Makes an outcome from the provider's result.
    public init(id: Int, seconds: Double, _ result: Result<Response, MoyaError>) {
        self.id = id
        self.seconds = seconds
        switch result {
        case .success(let response):
            status = response.statusCode
            bytes = response.data.count
        case .failure(let error):
            failure = error.transportFailure?.kind.words ?? "other"
            message = error.localizedDescription
        }
    }
}

extension MoyaError {
    /// The transport's failure, if there was one.
    public var transportFailure: TransportFailure? {
        guard case .underlying(let error, _) = self else { return nil }
        return (error as? SessionError)?.transportFailure
    }
}

extension TransportFailure.Kind {
    /// The kind as spelled in tests.
    public var words: String {
        switch self {
        case .timeout(let bound): "timeout \(bound)"
        case .tls(let reason): "tls \(reason)"
        default: "\(self)"
        }
    }
}
