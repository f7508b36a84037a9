import Foundation
import Moya
import ShortNames
import Testing

/// Code of an app that imports Moya beside a module with short names, and writes both without a prefix.
@Suite struct ShortNamesTests {
    private enum Shop: TargetType {
        case items

        var baseURL: URL { URL(string: "https://shop.example.com")! }
        var path: String { "/items" }
        var method: Moya.Method { .get }
        var task: RequestTask { .requestParameters(parameters: ["page": 1], encoding: URLEncoding.queryString) }
        var headers: [String: String]? { nil }
        var sampleData: Data { Data("[]".utf8) }
        var deadlines: Deadlines? { Deadlines() }
    }

    private struct Counting: MoyaMiddleware {
        func intercept(_ call: MiddlewareCall, next: NextMiddleware) async throws(MoyaError) -> Response {
            try await next(call)
        }
    }

    /// A value whose properties have the types of the other module.
    private struct App {
        let request = HTTPRequest()
        let method: HTTPMethod
        let router: Router?
        let middleware: [Middleware]
        let parameters: Parameters
        let next: Next
        let call: Call
    }

    @Test func areUnambiguousAsValuesBesideMoya() {
        let values: [any Sendable] = [
            AFError(), API(), APIClient(), APIError(), Account(), Action(), Adapter(), Auth(), Authenticator(),
            Backoff(), Body(), Cache(), CachePolicy(), CacheStatus(), Call(), Client(), Configuration(), Content(),
            Credential(), Credentials(), DataRequest(), DataResponse(), DataTask(), Download(), DownloadRequest(),
            Downloader(), Empty(), Environment(), Event(), EventLoop(), EventMonitor(), Failure(), File(),
            HTTPCache(), HTTPClient(), HTTPError(), HTTPField(), HTTPFields(), HTTPHeader(), HTTPHeaders(),
            HTTPMethod(), HTTPRequest(), HTTPResponse(), HTTPStatus(), Header(), Headers(), Interceptor(), Item(),
            Lock(), Logger(), Metrics(), Middleware(), Model(), NetworkError(), NetworkLogger(), NetworkManager(),
            NetworkReachability(), NetworkState(), Next(), Page(), Pagination(), Param(), Parameters(), Plugin(),
            Plugins(), Priority(), Query(), Reachability(), Redirector(), Request(), ResponseSerializer(), Retrier(),
            Retry(), RetryPolicy(), RetryResult(), Route(), Router(), Server(), Service(), SessionDelegate(),
            SessionError(), SessionManager(), State(), Store(), StreamError(), Success(), Timeouts(), Token(),
            TokenStore(), Tokens(), Transport(), URLConvertible(), Upload(), UploadRequest(), Uploader(), User(),
            Validation(), Validator(),
        ]
        #expect(values.count == 98)
    }

    @Test func ownDaysOfADurationAreUsed() {
        #expect(Duration.days(1) == .seconds(1))
    }

    @Test func areUnambiguousAsTypesBesideMoya() {
        let app = App(
            method: HTTPMethod(), router: nil, middleware: [Middleware()], parameters: Parameters(), next: Next(),
            call: Call())
        #expect(app.middleware.count == 1)
    }

    @Test func leaveMoyasOwnNamesInTheSameFile() async throws {
        let provider = MoyaProvider<Shop>(
            stubClosure: MoyaProvider.immediatelyStub, session: Session(startRequestsImmediately: false),
            middleware: [Counting(), .retry(attempts: 3, backoff: .none), .plugins], plugins: [NetworkLoggerPlugin()])
        let response: Response = try await provider.request(.items).filterSuccessfulStatusCodes()
        #expect(response.request?.url?.query == "page=1")
    }

    @Test func leaveTheNamesThatMoya15HadOfTheSessionLayer() {
        let types: [Any.Type] = [
            Session.self, Moya.Session.self, Moya.Method.self, JSONEncoding.self, Moya.JSONEncoding.self,
            URLEncoding.self, Moya.URLEncoding.self, RequestMultipartFormData.self, Moya.RequestMultipartFormData.self,
            DownloadDestination.self, Moya.DownloadDestination.self, (any ParameterEncoding).self,
            (any Moya.ParameterEncoding).self, (any RequestInterceptor).self, (any Moya.RequestInterceptor).self,
        ]
        #expect(types.count == 15)
    }
}

extension Duration {
    /// Another meaning than that of the package.
    fileprivate static func days(_ days: Double) -> Duration { .seconds(days) }
}
