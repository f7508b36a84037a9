import Foundation
import Moya
import MoyaTesting
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct TokenLocationTests {
    /// Sends every request on to another origin, once.
    private static func redirecting() -> StepwiseTransport {
        StepwiseTransport { request, exchange in
            if request.url.hasPrefix("https://evil.example") { return exchange.answer() }
            exchange.head(307, ["Location": "https://evil.example/", "Content-Length": "0"])
            exchange.end()
        }
    }

    static let locations: [(name: String, location: TokenLocation)] = [
        ("Authorization", .bearer), ("X-Own", .field("X-Own")), ("X-Api-Key", .field("X-Api-Key")),
        ("X-Own", .custom { $1.setValue($0, forHTTPHeaderField: "X-Own") }),
    ]

    @Test(arguments: locations.indices) func aTokenStaysWithItsOrigin(index: Int) async throws {
        let transport = Self.redirecting()
        let refresh = SessionRefresh(
            tokens: InMemoryTokenStore(OAuthTokens(accessToken: "secret")), location: Self.locations[index].location,
            refreshing: { _ in OAuthTokens(accessToken: "other") })
        let provider = MoyaProvider<API>(session: Session(transport: transport), middleware: [refresh])
        _ = try await provider.request(API())
        let (first, second) = (transport.requests.values[0], transport.requests.values[1])
        #expect(first.fields.contains { $0.name == Self.locations[index].name && $0.value.hasSuffix("secret") })
        #expect(!second.fields.contains { $0.value.contains("secret") })
    }

    @Test(arguments: locations.indices) func aTokenThatTheTargetAlsoSetsStaysWithItsOrigin(index: Int) async throws {
        let transport = Self.redirecting()
        let (name, location) = Self.locations[index]
        let refresh = SessionRefresh(
            tokens: InMemoryTokenStore(OAuthTokens(accessToken: "secret")), location: location,
            refreshing: { _ in OAuthTokens(accessToken: "other") })
        let provider = MoyaProvider<API>(session: Session(transport: transport), middleware: [refresh])
        let value = name == "Authorization" ? "Bearer secret" : "secret"
        _ = try await provider.request(API(headers: [name: value]))
        #expect(transport.requests.values.map { $0.fields.contains { $0.value == value } } == [true, false])
    }

    /// Foundation on Linux leaves such a field out, and the request would go without a token.
    @Test(arguments: [TokenLocation.bearer, .field("X-Own")], ["token\n", "to\rken", "\0token"])
    func tokenWithALineBreakOrNULIsRefused(location: TokenLocation, token: String) async {
        let transport = StepwiseTransport.answering()
        let refresh = SessionRefresh(
            tokens: InMemoryTokenStore(OAuthTokens(accessToken: token)), location: location,
            refreshing: { _ in OAuthTokens(accessToken: "other") })
        let provider = MoyaProvider<API>(session: Session(transport: transport), middleware: [refresh])
        await #expect(throws: MoyaError.self) { try await provider.request(API()) }
        #expect(transport.requests.values.isEmpty)
    }
}
