#if TaskAlias
import Foundation
import Moya
import Testing

/// The views of an app: bound to the main actor, full of state.
@MainActor
class ViewController {
    let provider: MoyaProvider<GitHub>
    var text = ""
    var isLoading = false
    private var cancellable: Cancellable?

    init(provider: MoyaProvider<GitHub>) {
        self.provider = provider
    }

    func show(_ text: String) { self.text = text }

    func loadDirectly() {
        isLoading = true
        cancellable = provider.request(.zen) { [weak self] result in
            guard let self = self else { return }
            self.isLoading = false
            switch result {
            case let .success(response):
                self.text = (try? response.mapString()) ?? ""
                self.show(self.text)
            case let .failure(error):
                self.show(error.localizedDescription)
            }
        }
    }

    func loadWithProgress() {
        provider.request(
            .zen, callbackQueue: .main,
            progress: { progress in
                self.isLoading = progress.progress < 1
            },
            completion: { result in
                self.text = "done"
            })
    }

    func loadThroughClient(_ client: APIClient) {
        client.load { result in
            self.text = "client \((try? result.get().statusCode) ?? 0)"
            self.isLoading = false
        }
    }

    func loadThroughMyOwnClosureType(_ client: APIClient) {
        client.loadUser { [weak self] user in
            self?.text = user?.login ?? "nobody"
        }
    }
}

struct User: Decodable {
    let login: String
}

class APIClient {
    let provider = MoyaProvider<GitHub>(stubClosure: MoyaProvider.immediatelyStub)

    func load(completion: @escaping Completion) {
        provider.request(.zen, completion: completion)
    }

    func loadUser(completion: @escaping (User?) -> Void) {
        provider.request(.userProfile("ash")) { result in
            completion(try? result.get().map(User.self))
        }
    }
}

@MainActor
@Suite(.timeLimit(.minutes(1))) struct ViewControllerTests {
    private let viewController = ViewController(provider: MoyaProvider(stubClosure: MoyaProvider.immediatelyStub))

    @Test func closureTouchesTheViewControllerItWasWrittenIn() {
        viewController.loadDirectly()
        #expect(viewController.text == "Half measures are as bad as nothing at all.")
        #expect(!viewController.isLoading)
    }

    @Test func progressClosureTouchesTheViewControllerItWasWrittenIn() async {
        viewController.loadWithProgress()
        while viewController.text.isEmpty { await _Concurrency.Task.yield() }
        #expect(viewController.text == "done")
    }

    @Test func functionThatTakesACompletionIsCalledFromAViewController() {
        viewController.loadThroughClient(APIClient())
        #expect(viewController.text == "client 200")
    }

    @Test func functionWithACustomClosureIsCalledFromAViewController() {
        viewController.loadThroughMyOwnClosureType(APIClient())
        #expect(viewController.text == "ash")
    }
}
#endif
