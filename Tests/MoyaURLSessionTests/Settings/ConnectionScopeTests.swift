import MoyaTransport
import Testing

@testable import MoyaURLSession

/// The exchanges that may share the connections of a `URLSession`.
@Suite struct ConnectionScopeTests {
    private struct Pins: PartialTrustPolicy {
        var host = "pinned.test"

        func leavesToSystem(_ host: String) -> Bool { host != self.host }

        func evaluate(_ server: PresentedServerTrust) throws {}
    }

    private struct Everywhere: TransportTrustPolicy {
        func evaluate(_ server: PresentedServerTrust) throws {}
    }

    private func scope(
        of url: String, policy: (any TransportTrustPolicy)? = nil, identityOrigins: [String]? = nil
    ) throws -> ConnectionScope {
        let configuration = TransportConfiguration(clientIdentityOrigins: identityOrigins)
        return ConnectionScope(of: url, policy: policy, identityOrigins: try configuration.readIdentityOrigins())
    }

    private func origin(_ text: String) throws -> ConnectionScope { .origin(try #require(HTTPOrigin(setting: text))) }

    @Test(arguments: ["https://sample.test/path", "http://sample.test", "https://sample..test/"])
    func originsWithoutRulesShareConnections(_ url: String) throws {
        #expect(try scope(of: url) == .shared)
    }

    @Test(arguments: [
        "https://pinned.test/path?query=1", "https://Pinned.TEST./", "https://pinned.test:443", "https://pinned.test#a",
    ])
    func aPinnedHostSharesNone(_ url: String) throws {
        #expect(try scope(of: url, policy: Pins()) == origin("https://pinned.test"))
    }

    @Test(arguments: ["https://sample.test/", "https://pinned.test.sample.test/", "https://sample.test/pinned.test"])
    func otherHostsThanThePinnedShareConnections(_ url: String) throws {
        #expect(try scope(of: url, policy: Pins()) == .shared)
    }

    @Test func aPolicyForEveryHostSeparatesThem() throws {
        #expect(try scope(of: "https://one.test/", policy: Everywhere()) == origin("https://one.test"))
        #expect(try scope(of: "https://two.test/", policy: Everywhere()) == origin("https://two.test"))
        #expect(try scope(of: "https://two.test:8443/", policy: Everywhere()) == origin("https://two.test:8443"))
    }

    @Test func malformedHostsShareNoneWithOthersIfThePolicyEvaluatesThem() throws {
        #expect(try scope(of: "https://pinned%2Etest/", policy: Everywhere()) == .malformedHost)
        #expect(try scope(of: "https://pinned%2Etest/", policy: Pins(host: "")) == .malformedHost)
    }

    @Test func anOriginWithAClientCertificateSharesNone() throws {
        let origins = ["https://named.test"]
        #expect(try scope(of: "https://named.test/path", identityOrigins: origins) == origin("https://named.test"))
        #expect(try scope(of: "https://sample.test/path", identityOrigins: origins) == .shared)
    }

    /// `URLSession` may replace `http` by `https`.
    @Test func otherOriginsOfAHostWithAClientCertificateShareNone() throws {
        let origins = ["https://named.test"]
        #expect(try scope(of: "http://named.test/", identityOrigins: origins) == origin("http://named.test"))
        #expect(
            try scope(of: "https://named.test:8443/", identityOrigins: origins) == origin("https://named.test:8443"))
    }

    @Test func transportDecidesByItsConfiguration() throws {
        let plain = URLSessionSettings(TransportConfiguration())
        #expect(plain.connectionScope(of: "https://pinned.test/") == .shared)
        let pinned = URLSessionSettings(TransportConfiguration(trustPolicy: Pins()))
        #expect(try pinned.connectionScope(of: "https://pinned.test/") == origin("https://pinned.test"))
        let named = URLSessionSettings(TransportConfiguration(clientIdentityOrigins: ["https://named.test"]))
        #expect(try named.connectionScope(of: "https://named.test/") == origin("https://named.test"))
    }
}
