public import Foundation
public import Moya

/// Calls of GitHub's API.
public enum GitHub: Sendable {
    /// A random line of GitHub's Zen.
    case zen
    /// The profile of a user.
    case profile(user: String)
    /// A page of a user's public repositories; the first page is 1.
    case repositories(user: String, page: Int)
    /// The latest public events of a user, as a list.
    case events(user: String)
    /// The same as server-sent events, as long as the server sends them. GitHub has no such stream; the demo's server
    /// does.
    case feed(user: String)
}

extension GitHub: TargetType {
    /// GitHub's own server; ``MoyaProvider/at(_:stubbed:plugins:)`` uses another.
    public static let server = URL(string: "https://api.github.com")!

    /// The beginning of every path below.
    public var baseURL: URL { Self.server }

    /// The path of each call; characters that are not allowed in a URL are escaped automatically.
    public var path: String {
        switch self {
        case .zen: "/zen"
        case .profile(let user): "/users/\(user)"
        case .repositories(let user, _): "/users/\(user)/repos"
        case .events(let user), .feed(let user): "/users/\(user)/events"
        }
    }

    /// The method: every call only reads.
    public var method: Moya.Method { .get }

    /// The content of the request: none, or parameters in the query.
    public var task: Task {
        switch self {
        case .zen, .profile, .events, .feed: .requestPlain
        case .repositories(_, let page):
            .requestParameters(parameters: ["page": page, "per_page": 30], encoding: URLEncoding.queryString)
        }
    }

    /// Requests the JSON that GitHub documents; an event stream requests its own type.
    public var headers: [String: String]? {
        if case .feed = self { nil } else { ["Accept": "application/vnd.github+json"] }
    }

    /// Treats any status other than 2xx as an error that carries the response.
    public var validationType: ValidationType { .successCodes }
}
