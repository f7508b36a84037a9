import Foundation
import Moya

/// The requests of the soak to nginx: mostly a small file, and a few of each other kind.
struct SoakAPI: TargetType {
    enum Kind {
        /// 196 bytes of JSON.
        case small
        /// The same file, compressed.
        case compressed
        /// 64 KiB in the middle of a large file: several chunks.
        case range
        /// A JSON body.
        case body
        /// A status that validation refuses.
        case missing
    }

    let kind: Kind
    let baseURL: URL
    let index: Int

    init(call index: Int, baseURL: URL) {
        self.baseURL = baseURL
        self.index = index
        switch index % 50 {
        case 7: kind = .range
        case 17, 37: kind = .body
        case 27: kind = .missing
        case 8, 18, 28, 38, 48: kind = .compressed
        default: kind = .small
        }
    }

    var path: String {
        switch kind {
        case .small: "/static/small.json"
        case .compressed: "/gzip/small.json"
        case .range: "/static/large.bin"
        case .body: "/consume"
        case .missing: "/static/missing.json"
        }
    }

    var method: Moya.Method { kind == .body ? .post : .get }

    var task: RequestTask { kind == .body ? .requestJSONEncodable(Note(text: "soak", times: 3)) : .requestPlain }

    /// No two calls are equal, so none is coalesced.
    var headers: [String: String]? {
        kind == .range ? ["X-Call": "\(index)", "Range": "bytes=1048576-1114111"] : ["X-Call": "\(index)"]
    }

    var validationType: ValidationType { .successCodes }

    /// `true` if a result is the expected one of a call that was not cancelled.
    func isRight(_ result: Result<Response, MoyaError>) -> Bool {
        switch (kind, result) {
        case (.small, .success(let response)), (.compressed, .success(let response)):
            response.statusCode == 200 && response.data.count == 196
        case (.range, .success(let response)): response.statusCode == 206 && response.data.count == 65536
        case (.body, .success(let response)): response.data == Data("{\"length\": \"25\"}\n".utf8)
        case (.missing, .failure(let error)): error.response?.statusCode == 404
        default: false
        }
    }
}

private struct Note: Encodable, Sendable {
    let text: String
    let times: Int
}
