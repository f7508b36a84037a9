#if RxMoya
import Foundation
import Moya
import RxMoya
import RxSwift
import Testing

/// The README's sample, word for word but for the stub.
@Suite struct RxReadmeSampleTests {
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
        let user: Single<User> = github.rx.request(.user("octocat")).filterSuccessfulStatusCodes().map(User.self)
        // end
        _ = user.subscribe(onSuccess: { value = $0.login })
        #expect(value == "octocat")
    }

    @Test func articleSamplesCompile() {
        let github = MoyaProvider<GitHub>(stubClosure: MoyaProvider.immediatelyStub)
        let disposeBag = DisposeBag()
        // snippet: Reactive
        github.rx.request(.zen)
            .filterSuccessfulStatusCodes()
            .mapString()
            .subscribe(onSuccess: { zen in print(zen) }, onFailure: { error in print(error) })
            .disposed(by: disposeBag)
        // end
        // snippet: Reactive, progress
        github.rx.requestWithProgress(.zen)
            .filterProgress()
            .subscribe(onNext: { part in print(part) })
            .disposed(by: disposeBag)
        // end
        // snippet: Reactive, streamed
        github.rx.lines(of: .log)
            .subscribe(onNext: { line in print(line) })
            .disposed(by: disposeBag)
        // end
    }
}
#endif
