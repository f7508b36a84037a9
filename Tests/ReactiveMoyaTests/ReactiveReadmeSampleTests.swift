#if ReactiveMoya
import Foundation
import Moya
import ReactiveMoya
import ReactiveSwift
import Testing

/// The README's sample, word for word but for the stub.
@Suite struct ReactiveReadmeSampleTests {
    private enum GitHub: TargetType {
        case user(String)
        case zen
        case log

        var baseURL: URL { URL(fileURLWithPath: "/unused") }
        var path: String { "" }
        var method: Moya.Method { .get }
        var task: RequestTask { .requestPlain }
        var headers: [String: String]? { nil }
        var sampleData: Data {
            switch self {
            case .user(let name): Data(#"{"login":"\#(name)"}"#.utf8)
            case .log: Data("a\nb\n".utf8)
            case .zen: Data("Keep it logically awesome.".utf8)
            }
        }
    }

    private struct User: Decodable { let login: String }

    @Test func sampleGivesItsValue() {
        let github = MoyaProvider<GitHub>(stubClosure: MoyaProvider.immediatelyStub)
        var value: String?
        // snippet: README
        let zen: SignalProducer<String, MoyaError> = github.reactive.request(.zen).mapString()
        // end
        zen.startWithResult { value = try? $0.get() }
        #expect(value == "Keep it logically awesome.")
    }

    @Test func articleSamplesCompile() {
        let github = MoyaProvider<GitHub>(stubClosure: MoyaProvider.immediatelyStub)
        // snippet: Reactive
        let disposable = github.reactive.request(.zen)
            .filterSuccessfulStatusCodes()
            .mapString()
            .startWithResult { result in print(result) }
        // end
        disposable.dispose()
        // snippet: Reactive, streamed
        let stream = github.reactive.stream(.log)
            .startWithResult { part in print(part) }
        // end
        stream.dispose()
    }
}
#endif
