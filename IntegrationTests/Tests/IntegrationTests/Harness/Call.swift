import Foundation
import Moya

/// A target that is put together where it is used: the requirements of a test are all in the test.
struct Call: TargetType {
    var baseURL: URL
    var path: String
    var method: Moya.Method = .get
    var task: RequestTask = .requestPlain
    var headers: [String: String]?
    var validationType: ValidationType = .none
}

extension Call {
    /// A call with a query, which a path cannot contain.
    static func get(_ base: URL, _ path: String, query: [String: any Sendable] = [:]) -> Call {
        Call(
            baseURL: base, path: path,
            task: query.isEmpty
                ? .requestPlain : .requestParameters(parameters: query, encoding: URLEncoding.queryString))
    }
}
