import Foundation
import Moya

/// A target whose every property can be set.
struct API: TargetType {
    var baseURL = URL(string: "https://api.example.com")!
    var path = "/zen"
    var method = Moya.Method.get
    var sampleData = Data("Half measures are as bad as nothing at all.".utf8)
    var task = RequestTask.requestPlain
    var validationType = ValidationType.none
    var headers: [String: String]?
    var maximumResponseBytes: Int?
}

/// Two calls of one service.
enum GitHub: TargetType, Hashable {
    case zen
    case userProfile(String)

    var baseURL: URL { URL(string: "https://api.github.com")! }
    var path: String {
        switch self {
        case .zen: "/zen"
        case .userProfile(let name): "/users/\(name)"
        }
    }
    var method: Moya.Method { .get }
    var task: RequestTask { .requestPlain }
    var headers: [String: String]? { nil }
    var sampleData: Data {
        switch self {
        case .zen: Data("Half measures are as bad as nothing at all.".utf8)
        case .userProfile(let name): Data(#"{"login":"\#(name)","id":100}"#.utf8)
        }
    }
}

/// A target that declares how its token is sent.
struct AuthorizedAPI: TargetType, AccessTokenAuthorizable {
    var authorizationType: AuthorizationType?

    var baseURL: URL { URL(string: "https://api.example.com")! }
    var path: String { "/secret" }
    var method: Moya.Method { .get }
    var task: RequestTask { .requestPlain }
    var headers: [String: String]? { nil }
}
