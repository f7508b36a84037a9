import Foundation
import Moya
import Testing

/// The samples of the article Targets.
@Suite struct TargetsSamples {
    struct NewComment: Encodable, Sendable {
        let text: String
    }

    // snippet: target
    enum Comments: TargetType {
        case list(page: Int)
        case add(NewComment)
        case picture(comment: Int, png: Data)

        var baseURL: URL { URL(string: "https://api.example.com/v1")! }

        var path: String {
            switch self {
            case .list, .add: "comments"
            case .picture(let comment, _): "comments/\(comment)/picture"
            }
        }

        var method: Moya.Method {
            switch self {
            case .list: .get
            case .add: .post
            case .picture: .put
            }
        }

        var task: Task {
            switch self {
            case .list(let page):
                .requestParameters(parameters: ["page": page], encoding: URLEncoding.queryString)
            case .add(let comment):
                .requestJSONEncodable(comment)
            case .picture(_, let png):
                .requestData(png)
            }
        }

        var headers: [String: String]? {
            if case .picture = self { ["Content-Type": "image/png"] } else { nil }
        }

        var validationType: ValidationType { .successCodes }

        var deadlines: Deadlines? { Deadlines(attempt: .seconds(10), total: .seconds(30)) }
    }
    // end

    @Test func aPathIsAppendedWithOneSlash() throws {
        #expect(URL(target: Comments.list(page: 1)).absoluteString == "https://api.example.com/v1/comments")
        let request = try MoyaProvider<Comments>.defaultEndpointMapping(for: .list(page: 2)).urlRequest()
        #expect(request.url?.query == "page=2")
    }

    // snippet: structure
    struct Search: TargetType {
        var text: String
        var limit = 20

        var baseURL: URL { URL(string: "https://api.example.com/v1")! }
        var path: String { "search" }
        var method: Moya.Method { .get }
        var task: Task {
            .requestParameters(parameters: ["q": text, "limit": limit], encoding: URLEncoding.queryString)
        }
        var headers: [String: String]? { nil }
    }
    // end

    @Test func oneProviderCallsTargetsOfManyTypes() async throws {
        // snippet: several types
        let provider = MoyaProvider<MultiTarget>(stubClosure: MoyaProvider.immediatelyStub)
        let found = try await provider.request(MultiTarget(Search(text: "moya")))
        let comments = try await provider.request(MultiTarget(Comments.list(page: 1)))
        // end
        #expect(found.request?.url?.path == "/v1/search")
        #expect(comments.request?.url?.path == "/v1/comments")
    }

    // snippet: authorized
    struct Profile: TargetType, AccessTokenAuthorizable {
        var baseURL: URL { URL(string: "https://api.example.com/v1")! }
        var path: String { "me" }
        var method: Moya.Method { .get }
        var task: Task { .requestPlain }
        var headers: [String: String]? { nil }
        var authorizationType: AuthorizationType? { .bearer }
    }
    // end
}
