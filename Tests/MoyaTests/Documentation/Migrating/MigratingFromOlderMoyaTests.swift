// The samples stand as they do in MIGRATING.md.
// swift-format-ignore-file
import Foundation
import Moya
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

private enum Shop: TargetType {
    case items(page: Int)

    var baseURL: URL { URL(string: "https://shop.example.com")! }
    var path: String { "/items" }
    var method: Moya.Method { .get }
    var task: RequestTask { .requestPlain }
    var headers: [String: String]? { nil }
    var sampleData: Data { Data(#"[{"name": "Kettle"}]"#.utf8) }
}

@available(*, deprecated, message: "Uses the older names on purpose.")
private enum Moya10 {
    static func provider() -> MoyaProvider<Shop> {
        // snippet: moya10
        let configuration = URLSessionConfiguration.default
        configuration.httpAdditionalHeaders = Manager.defaultHTTPHeaders
        let manager = Manager(configuration: configuration, startRequestsImmediately: false)

        let provider = MoyaProvider<Shop>(manager: manager, plugins: [NetworkLoggerPlugin()])
        // end
        return provider
    }
}

@available(*, deprecated, message: "Uses the older names on purpose.")
private enum Moya7 {
    static func provider() -> MoyaProvider<Shop> {
        // snippet: moya7
        let provider = MoyaProvider<Shop>(
            endpointClosure: MoyaProvider.DefaultEndpointMapping,
            stubClosure: MoyaProvider.ImmediatelyStub,
            manager: Manager.sharedInstance,
            plugins: [NetworkActivityPlugin { (change: NetworkActivityChangeType) -> () in show(change) }]
        )
        // end
        return provider
    }

    static func show(_ change: NetworkActivityChangeType) {}
}

/// Calls deprecated functions where a call produces no warning.
private protocol OlderProviders {
    func ofMoya10() -> MoyaProvider<Shop>
    func ofMoya7() -> MoyaProvider<Shop>
}

private struct Older: OlderProviders {}

extension Older {
    @available(*, deprecated) func ofMoya10() -> MoyaProvider<Shop> { Moya10.provider() }
    @available(*, deprecated) func ofMoya7() -> MoyaProvider<Shop> { Moya7.provider() }
}

/// The samples of MIGRATING.md that use names of Moya 7 to 14.
@Suite struct MigratingFromOlderMoyaTests {
    private struct Item: Decodable { let name: String }

    private let older: any OlderProviders = Older()

    @Test func managerIsTheSession() {
        let provider = older.ofMoya10()
        #expect(provider.session.sessionConfiguration.headers["Accept-Encoding"] != nil)
        #expect(provider.session.startRequestsImmediately == false)
    }

    @Test func providerOfMoya7Stubs() async throws {
        let items = try await older.ofMoya7().request(.items(page: 1)).map([Item].self)
        #expect(items.map(\.name) == ["Kettle"])
    }
}
