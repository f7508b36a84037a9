#if TaskAlias
import Foundation
import Moya

/// The target of the guides.
enum MyTarget {
    case users
    case create(name: String)
}

extension MyTarget: TargetType {
    var baseURL: URL { URL(string: "https://example.com/api")! }
    var path: String { "users" }
    var method: Moya.Method {
        switch self {
        case .users: return .get
        case .create: return .post
        }
    }
    var task: Task {
        switch self {
        case .users: return .requestPlain
        case let .create(name): return .requestParameters(parameters: ["name": name], encoding: JSONEncoding.default)
        }
    }
    var sampleData: Data { Data("sample of \(path)".utf8) }
    var headers: [String: String]? { ["Content-type": "application/json"] }
}

typealias MyService = GitHub
typealias MyAPI = MyTarget
#endif
