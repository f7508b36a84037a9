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

    var sampleData: Data {
        switch self {
        case .zen: Data("Half measures are as bad as nothing at all.".utf8)
        case .user(let name): Data(#"{"login": "\#(name)", "public_repos": 8}"#.utf8)
        case .repositories: Data(#"[{"name": "Hello-World"}]"#.utf8)
        }
    }
}

struct User: Decodable, Sendable {
    let login: String
    let publicRepos: Int

    enum CodingKeys: String, CodingKey {
        case login
        case publicRepos = "public_repos"
    }
}

struct Repository: Decodable, Sendable {
    let name: String
}

let isOffline = CommandLine.arguments.contains("--offline")
let github = MoyaProvider<GitHub>(
    stubClosure: isOffline ? MoyaProvider.immediatelyStub : MoyaProvider.neverStub,
    middleware: [.retry(attempts: 3)],
    plugins: [NetworkLoggerPlugin()],
    deadlines: Deadlines(total: .seconds(20)))

do {
    let zen = try await github.request(.zen).filterSuccessfulStatusCodes().mapString()
    print(zen)

    let user = try await github.request(.user("octocat"), as: User.self)
    let repositories = try await github.request(.repositories("octocat", page: 1), as: [Repository].self)
    print(user.login, user.publicRepos, repositories.map(\.name))
} catch {
    print("GitHub did not answer:", error.response?.statusCode ?? 0, error.localizedDescription)
}
