import Foundation
import Moya
import MoyaSession

/// A target that is put together where it is used: the requirements of a test are all in the test.
struct AnyTarget: TargetType {
    var baseURL: URL
    var path = ""
    var method = Moya.Method.get
    var task = RequestTask.requestPlain
    var headers: [String: String]?
    var validationType = ValidationType.none
    var sampleData = Data()
}

extension MoyaError {
    /// The engine's error inside.
    var sessionError: SessionError? { if case .underlying(let error, _) = self { error as? SessionError } else { nil } }
    /// The transport's failure kind.
    var wireKind: TransportFailure.Kind? { sessionError?.transportFailure?.kind }
}

/// The error that a call ends with; `nil` when it succeeds.
func failure(of target: AnyTarget, session: Session = MoyaProvider<AnyTarget>.defaultAlamofireSession()) async
    -> MoyaError?
{
    do throws(MoyaError) {
        _ = try await MoyaProvider<AnyTarget>(session: session).request(target)
        return nil
    } catch {
        return error
    }
}
