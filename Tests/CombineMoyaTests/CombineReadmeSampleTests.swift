#if CombineMoya
import Foundation
import Moya
import CombineMoya
import MoyaSession
import MoyaTesting
import Testing

#if canImport(Combine)
import Combine
#else
import OpenCombine
#endif

/// The README's sample, word for word but for the stub.
@Suite struct CombineReadmeSampleTests {
    private enum GitHub: TargetType {
        case user(String)
        case zen
        case rows

        var baseURL: URL { URL(fileURLWithPath: "/unused") }
        var path: String { "" }
        var method: Moya.Method { .get }
        var task: RequestTask { .requestPlain }
        var headers: [String: String]? { nil }
        var sampleData: Data {
            switch self {
            case .user(let name): Data(#"{"login":"\#(name)"}"#.utf8)
            case .rows: Data("{\"login\":\"octocat\"}\n".utf8)
            case .zen: Data("Keep it logically awesome.".utf8)
            }
        }
    }

    private struct User: Decodable { let login: String }

    private struct Row: Decodable, Sendable { let login: String }

    @Test func sampleGivesItsValue() {
        let github = MoyaProvider<GitHub>(stubClosure: MoyaProvider.immediatelyStub)
        var value: String?
        // snippet: README
        let zen: AnyPublisher<String, MoyaError> = github.requestPublisher(.zen).mapString()
        // end
        let cancellable = zen.sink(receiveCompletion: { _ in }, receiveValue: { value = $0 })
        cancellable.cancel()
        #expect(value == "Keep it logically awesome.")
    }

    @Test func articleSamplesCompile() {
        let github = MoyaProvider<GitHub>(stubClosure: MoyaProvider.immediatelyStub)
        // snippet: Reactive
        let subscription = github.requestPublisher(.zen)
            .filterSuccessfulStatusCodes()
            .mapString()
            .sink(receiveCompletion: { end in print(end) }, receiveValue: { zen in print(zen) })
        // end
        subscription.cancel()
        // snippet: Reactive, streamed
        let values = github.jsonLinesPublisher(of: .rows, as: Row.self)
            .sink(receiveCompletion: { end in print(end) }, receiveValue: { row in print(row) })
        // end
        values.cancel()
        let session = Session(transport: ScriptedTransport(.silence))
        // snippet: Reactive, of a session
        let user = session.request("https://api.example.com/user").validate()
            .publishDecodable(type: User.self)
            .value()
            .sink(receiveCompletion: { end in print(end) }, receiveValue: { user in print(user.login) })
        // end
        user.cancel()
    }
}
#endif
