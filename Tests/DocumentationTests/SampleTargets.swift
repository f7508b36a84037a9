import Foundation
import Moya

// Declarations that samples name and no article spells out.

enum Shop: TargetType {
    case items
    case item(Int)

    var baseURL: URL { exampleURL }
    var path: String {
        switch self {
        case .items: "/items"
        case .item(let number): "/items/\(number)"
        }
    }
    var method: Moya.Method { .get }
    var task: RequestTask { .requestPlain }
    var headers: [String: String]? { nil }
    var sampleData: Data { Data("[]".utf8) }
}

struct Item: Decodable, Sendable {
    let name: String
}

enum Auth: TargetType {
    case refresh(String)

    var baseURL: URL { exampleURL }
    var path: String { "/token" }
    var method: Moya.Method { .post }
    var task: RequestTask { .requestPlain }
    var headers: [String: String]? { nil }
}

enum Archives: TargetType {
    case archive(String)

    var baseURL: URL { exampleURL }
    var path: String {
        switch self {
        case .archive(let name): "/archives/\(name)"
        }
    }
    var method: Moya.Method { .get }
    var task: RequestTask { .requestPlain }
    var headers: [String: String]? { nil }
}

enum InternalAPI: TargetType {
    case status

    var baseURL: URL { exampleURL }
    var path: String { "/status" }
    var method: Moya.Method { .get }
    var task: RequestTask { .requestPlain }
    var headers: [String: String]? { nil }
}

/// Shows the screens of an app.
actor Router {
    func showLogin() {}
}

/// No sample is sent there.
let exampleURL = URL(string: "http://api.example.com")!
