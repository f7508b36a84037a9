import Foundation
import Moya
import Testing

/// The samples of the article ThreadingAndLifetimes.
@Suite struct ThreadingAndLifetimesSamples {
    // snippet: screen
    @MainActor
    final class ItemsScreen {
        private let provider: MoyaProvider<Shop>
        private var loading: _Concurrency.Task<Void, Never>?
        private(set) var items: [Item] = []

        init(provider: MoyaProvider<Shop>) { self.provider = provider }

        func appear() {
            loading = _Concurrency.Task { await load() }
        }

        func disappear() { loading?.cancel() }

        func load() async {
            do {
                items = try await provider.request(.items, as: [Item].self)
            } catch {
                print(error.localizedDescription)
            }
        }
    }
    // end

    @Test @MainActor func aScreenLoads() async {
        let provider = MoyaProvider<Shop>(
            endpointClosure: { target in
                Endpoint(
                    url: URL(target: target).absoluteString,
                    sampleResponseClosure: { .networkResponse(200, Data(#"[{"name": "Kettle"}]"#.utf8)) },
                    method: target.method, task: target.task, httpHeaderFields: nil)
            }, stubClosure: MoyaProvider.immediatelyStub)
        let screen = ItemsScreen(provider: provider)
        await screen.load()
        #expect(screen.items.map(\.name) == ["Kettle"])
    }

    private func queues(_ provider: MoyaProvider<Shop>, show: @escaping @MainActor @Sendable (Response) -> Void) {
        // snippet: queue
        let decoding = DispatchQueue(label: "decoding")
        let call = provider.request(.items, callbackQueue: decoding) { result in
            guard let response = try? result.get() else { return }
            _Concurrency.Task { @MainActor in show(response) }
        }
        // end
        call.cancel()
    }

    private func deadlines() async throws {
        // snippet: deadlines
        let provider = MoyaProvider<Shop>(
            deadlines: Deadlines(
                idle: .seconds(15), attempt: .seconds(30), total: .seconds(60)))
        let response = try await provider.request(.items, deadline: .seconds(3))
        // end
        print(response)
    }
}
