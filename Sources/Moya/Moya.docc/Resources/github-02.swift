import Moya

enum GitHub {
    case zen
    case user(String)
    case repositories(String, page: Int)
}

extension GitHub: TargetType {
    var baseURL: URL { URL(string: "https://api.github.com")! }

    var path: String {
        switch self {
        case .zen: "/zen"
        case .user(let name): "/users/\(name)"
        case .repositories(let name, _): "/users/\(name)/repos"
        }
    }

    var method: Moya.Method { .get }

    var task: Task { .requestPlain }

    var headers: [String: String]? { nil }
}
