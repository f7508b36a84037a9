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
        #expect(["example.com", "api.localhost", "10.0.0.1"].filter(LoopbackTraffic(proxy: .none).contains) == [])
    }

    @Test func anotherMachinesProxyCarriesThem() { #expect(staying(behind: "proxy.example") == []) }

    @Test func aProxyOnThisMachineKeepsThem() { #expect(staying(behind: "127.0.0.1") == Self.hosts) }

    @Test func theProxysExceptionsStay() {
        #expect(staying(behind: "proxy.example", exceptions: ["*"]) == Self.hosts)
        #expect(staying(behind: "proxy.example", exceptions: ["LOCALHOST", "::1"]) == ["localhost", "::1", "[::1]"])
        #expect(staying(behind: "proxy.example", exceptions: ["127.0.0.0/8"]) == ["127.0.0.1", "127.8.9.1"])
    }

    #if os(Linux)
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
