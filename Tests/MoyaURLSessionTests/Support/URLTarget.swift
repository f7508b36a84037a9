import Foundation
import Moya
import MoyaSession

/// A target that is put together where it is used.
struct URLTarget: TargetType {
    var baseURL: URL
    var path = ""
    var method = Moya.Method.get
    var task = RequestTask.requestPlain
    var headers: [String: String]?
}

extension MoyaError {
    /// The engine's error inside.
    var sessionError: SessionError? { if case .underlying(let error, _) = self { error as? SessionError } else { nil } }
    /// The transport's failure kind.
    var wireKind: TransportFailure.Kind? { sessionError?.transportFailure?.kind }
}
