import Foundation
import Moya

/// A program that makes one call through a provider with default settings, and ends with the mapped response.
@main
enum StartMoya {
    static func main() async throws {
        guard let server = CommandLine.arguments.dropFirst().first.flatMap({ URL(string: $0) }) else { exit(64) }
        let user = try await MoyaProvider<UserAPI>().request(.small(server), as: User.self)
        FileHandle.standardOutput.write(Data("\(user.id)\n".utf8))
        _exit(0)
    }
}

private enum UserAPI: TargetType {
    case small(URL)

    var baseURL: URL {
        switch self {
        case .small(let server): server
        }
    }

    var path: String { "/small" }
    var method: Moya.Method { .get }
    var task: RequestTask { .requestPlain }
    var validationType: ValidationType { .successCodes }
    var headers: [String: String]? { nil }
}

private struct User: Decodable {
    let login: String
    let id: Int
}
