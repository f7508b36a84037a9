import Foundation
import Moya

/// The API of the benchmark's server.
enum BenchmarkAPI {
    /// 196 bytes of JSON.
    case small(URL)
    case megabyte(URL)
    case download(URL, to: URL)
    case upload(URL, from: URL)
    /// A stream of one event or of endless events, whose ids are their times of sending.
    case events(URL)
}

extension BenchmarkAPI: TargetType {
    var baseURL: URL {
        switch self {
        case .small(let url), .megabyte(let url), .download(let url, _), .upload(let url, _), .events(let url): url
        }
    }

    var path: String {
        switch self {
        case .small: "/small"
        case .megabyte: "/megabyte"
        case .download: "/large"
        case .upload: "/uploads/sent"
        case .events: ""
        }
    }

    var method: Moya.Method {
        switch self {
        case .small, .megabyte, .download, .events: .get
        case .upload: .put
        }
    }

    var task: RequestTask {
        switch self {
        case .small, .megabyte, .events: .requestPlain
        case .download(_, let file): .downloadDestination { _, _ in (file, [.removePreviousFile]) }
        case .upload(_, let file): .uploadFile(file)
        }
    }

    var validationType: ValidationType { .successCodes }
    var headers: [String: String]? { nil }
    var sampleData: Data { Self.sampleBytes }

    /// Sample data as long as the server's answer.
    static let sampleLength = 196
    static let sampleBytes: Data = {
        let head = #"{"login": "octocat", "id": 583231, "filler": ""#
        let tail = #""}"#
        return Data((head + String(repeating: "x", count: sampleLength - head.count - tail.count) + tail).utf8)
    }()
}

extension BenchmarkAPI: AccessTokenAuthorizable {
    var authorizationType: AuthorizationType? { .bearer }
}

/// The content of the small answer.
struct User: Decodable, Sendable {
    let login: String
    let id: Int
}
