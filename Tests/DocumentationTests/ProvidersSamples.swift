import Foundation
import Moya
import Testing

/// The samples of the article Providers.
@Suite struct ProvidersSamples {
    private func forms() async throws {
        // snippet: forms
        let provider = MoyaProvider<Shop>()

        let response = try await provider.request(.items)
        let items = try await provider.request(.items, as: [Item].self)
        let names = try await provider.request(.items, as: [String].self, atKeyPath: "items.name")
        let soon = try await provider.request(.items, deadline: .seconds(5))
        for try await event in provider.progress(of: .items) { print(event.progress) }
        let call = provider.request(.items, callbackQueue: .global()) { result in print(result) }
        // end
        print(response, items, names, soon, call)
    }

    @Test func ownDecoderDecodes() async throws {
        let provider = MoyaProvider<Shop>(stubClosure: MoyaProvider.immediatelyStub)
        // snippet: decoder
        let decoder = JSONDecoder.moyaDefault
        decoder.dateDecodingStrategy = .iso8601
        let items = try await provider.request(.items, as: [Item].self, using: decoder)
        // end
        #expect(items.isEmpty)
    }

    private func arguments(session: Session) {
        // snippet: arguments
        let provider = MoyaProvider<Shop>(
            endpointClosure: MoyaProvider.defaultEndpointMapping,
            requestClosure: MoyaProvider<Shop>.defaultRequestMapping,
            stubClosure: MoyaProvider.neverStub,
            callbackQueue: nil,
            session: session,
            middleware: [.retry(attempts: 3)],
            plugins: [NetworkLoggerPlugin()],
            trackInflights: false,
            deadlines: Deadlines(total: .seconds(60)),
            clock: ContinuousClock())
        // end
        print(provider)
    }

    @Test func targetsAreStubbedDifferently() async throws {
        // snippet: stub closure
        let provider = MoyaProvider<Shop>(stubClosure: { (target: Shop) -> StubBehavior in
            switch target {
            case .items: .immediate
            case .item: .delayed(seconds: 0.2)
            }
        })
        // end
        #expect(try await provider.request(.items).statusCode == 200)
    }

    private func session() {
        // snippet: session
        let configuration = URLSessionConfiguration.default
        configuration.headers = .default
        configuration.timeoutIntervalForRequest = 20
        let session = Session(configuration: configuration, startRequestsImmediately: false)
        let provider = MoyaProvider<Shop>(session: session)
        // end
        print(provider)
    }

    @Test func equalCallsAreJoined() async throws {
        // snippet: inflights
        let provider = MoyaProvider<Shop>(
            stubClosure: MoyaProvider.delayedStub(0.05), trackInflights: true)
        async let first = provider.request(.items)
        async let second = provider.request(.items)
        let responses = try await [first, second]
        // end
        #expect(responses[0] == responses[1])
    }
}
