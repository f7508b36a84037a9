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

    var task: Task {
        switch self {
        case .zen, .user:
            .requestPlain
        case .repositories(_, let page):
            .requestParameters(parameters: ["page": page], encoding: URLEncoding.queryString)
        }
    }

    var headers: [String: String]? { ["Accept": "application/vnd.github+json"] }
}

let github = MoyaProvider<GitHub>()

let zen = try await github.request(.zen).filterSuccessfulStatusCodes().mapString()
print(zen)
