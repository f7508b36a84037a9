#if RxMoya
import AdapterContract
import Foundation
import Moya
@preconcurrency import RxSwift

/// The targets of the guides.
enum MyAPI: TargetType {
    case users
    case refreshSession(userId: String, refreshToken: String)

    var baseURL: URL { URL(fileURLWithPath: "/unused") }
    var path: String {
        switch self {
        case .users: "/users"
        case .refreshSession: "/session"
        }
    }
    var method: Moya.Method {
        switch self {
        case .users: .get
        case .refreshSession: .post
        }
    }
    var task: RequestTask {
        switch self {
        case .users: .requestPlain
        case .refreshSession(let userId, let refreshToken):
            .requestParameters(
                parameters: ["user": userId, "token": refreshToken], encoding: URLEncoding.httpBody)
        }
    }
    var sampleData: Data { Data("sample".utf8) }
    var headers: [String: String]? { nil }

    /// An endpoint closure that has a server in the place of the base URL.
    static func endpoints(at server: URL) -> MoyaProvider<MyAPI>.EndpointClosure {
        { target in
            Endpoint(
                url: server.appendingPathComponent(target.path).absoluteString,
                sampleResponseClosure: { .networkResponse(200, target.sampleData) }, method: target.method,
                task: target.task, httpHeaderFields: target.headers)
        }
    }
}

typealias MyService = MyAPI

/// Subscribes at once and waits for the response.
struct Watched {
    private let watcher: Watcher<Response>

    init<Source: ObservableConvertibleType>(_ source: Source) where Source.Element == Response {
        watcher = Watcher(AnyStream(source))
    }

    /// The body of the only response.
    func text() async throws -> String? {
        try await watcher.success().first.map { String(decoding: $0.data, as: UTF8.self) }
    }

    func failure() async throws -> MoyaError { try await watcher.failure() }
}
#endif
