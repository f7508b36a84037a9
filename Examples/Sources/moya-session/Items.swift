import Foundation
import Moya

/// The API of the server.
struct Items: TargetType {
    let server: URL
    let number: Int

    var baseURL: URL { server }
    var path: String { "/api/item/\(number)" }
    var method: Moya.Method { .get }
    var task: Moya.RequestTask { .requestPlain }
    var headers: [String: String]? { nil }
}

/// A user's first tokens (RFC 6749 section 4.3).
struct Login: TargetType {
    let server: URL
    let user: String
    let password: String

    var baseURL: URL { server }
    var path: String { "/token" }
    var method: Moya.Method { .post }
    var task: Moya.RequestTask {
        .requestParameters(
            parameters: [
                "grant_type": "password", "username": user, "password": password, "client_id": Client.identifier,
            ], encoding: URLEncoding.httpBody)
    }
    var headers: [String: String]? { nil }
}
