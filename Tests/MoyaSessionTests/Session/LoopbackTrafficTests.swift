import Foundation
import MoyaTransport
import Testing

@testable import MoyaSession

@Suite struct LoopbackTrafficTests {
    private static let hosts = ["localhost", "127.0.0.1", "127.8.9.1", "::1", "[::1]"]

    private func staying(behind host: String, exceptions: [String] = []) -> [String] {
        let proxy = TransportConfiguration.Proxy(.http, host: host, port: 80, exceptions: exceptions)
        return Self.hosts.filter(LoopbackTraffic(proxy: .custom(proxy)).contains)
    }

    @Test func withoutAProxyRequestsToThisMachineStayOnIt() {
        #expect(Self.hosts.filter(LoopbackTraffic(proxy: .none).contains) == Self.hosts)
        #expect(
            ["example.com", "api.localhost", "10.0.0.1"].filter(LoopbackTraffic(proxy: .none).contains) == [])
    }

    /// A name server is asked for what only resembles an address.
    @Test(arguments: [
        "127.+0.0.1", "127.-0.0.1", "127.08.0.1", "127.0.0.1.", "127.0.0.1a", "127.a1", "localhost.", "::1a",
    ])
    func aNameThatResemblesAnAddressMayLeaveThisMachine(host: String) {
        #expect(!LoopbackTraffic(proxy: .none).contains(host))
    }

    @Test func anotherMachinesProxyCarriesThem() { #expect(staying(behind: "proxy.example") == []) }

    @Test func aProxyOnThisMachineKeepsThem() { #expect(staying(behind: "127.0.0.1") == Self.hosts) }

    @Test func theProxysExceptionsStay() {
        #expect(staying(behind: "proxy.example", exceptions: ["*"]) == Self.hosts)
        #expect(staying(behind: "proxy.example", exceptions: ["LOCALHOST", "::1"]) == ["localhost", "::1", "[::1]"])
        #expect(staying(behind: "proxy.example", exceptions: ["127.0.0.0/8"]) == ["127.0.0.1", "127.8.9.1"])
    }

    @Test(arguments: ["localhost", "LOCALHOST", "localhost."])
    func aNameThatIsResolvedElsewhereLeavesThisMachine(name: String) {
        func staying(_ addresses: [String]...) -> [String] {
            let overrides = addresses.enumerated().map { port, addresses in
                TransportConfiguration.ResolveOverride(host: name, port: port + 80, addresses: addresses)
            }
            return Self.hosts.filter(LoopbackTraffic(proxy: .none, overrides: overrides).contains)
        }
        #expect(staying(["127.0.0.2", "::1"], ["127.0.0.1"]) == Self.hosts)
        for elsewhere in ["10.0.0.7", "2001:db8::7"] {
            #expect(staying(["127.0.0.1", elsewhere]) == Self.hosts.filter { $0 != "localhost" })
            // At any port.
            #expect(staying(["127.0.0.1"], [elsewhere]) == Self.hosts.filter { $0 != "localhost" })
        }
    }

    #if os(Linux)
    @Test func aPasswordIsNotSentToALocalhostThatIsElsewhere() async {
        let session = Session(
            startRequestsImmediately: false, credentialPolicy: CredentialPolicy(refusesBasicWithoutTLS: true),
            transportConfiguration: TransportConfiguration(
                // An address that no machine has (RFC 5737).
                proxy: .none,
                resolveOverrides: [.init(host: "localhost", port: 80, addresses: ["192.0.2.7"])]))
        let headers: HTTPHeaders = [.authorization(username: "user", password: "pass")]
        let error = await session.request("http://localhost/", headers: headers).outcome().error
        guard case .urlRequestValidationFailed(reason: .basicWithoutTLS)? = error else {
            Issue.record("sent: \(String(describing: error))")
            return
        }
    }

    @Test(arguments: ["http_proxy", "all_proxy", "ALL_PROXY"])
    func theProxyOfTheEnvironmentCarriesThemExceptItsExceptions(_ variable: String) async {
        await #expect(processExitsWith: .success) { [variable] in
            for name in ["http_proxy", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY"] { unsetenv(name) }
            let traffic = LoopbackTraffic(proxy: .environment)
            #expect(Self.hosts.filter(traffic.contains) == Self.hosts)
            setenv("https_proxy", "http://proxy.example:80", 1)
            #expect(Self.hosts.filter(traffic.contains) == Self.hosts)
            setenv(variable, "http://proxy.example:80", 1)
            #expect(Self.hosts.filter(traffic.contains) == [])
            setenv("no_proxy", "a.example, localhost,127.0.0.1", 1)
            #expect(Self.hosts.filter(traffic.contains) == ["localhost", "127.0.0.1"])
            for exceptions in ["a.example,*", "[::1]", "127.0.0.0/8"] {
                setenv("no_proxy", exceptions, 1)
                #expect(Self.hosts.filter(traffic.contains) == [])
            }
            setenv("no_proxy", "*", 1)
            #expect(Self.hosts.filter(traffic.contains) == Self.hosts)
        }
    }
    #endif
}
