#if os(Linux)
import Foundation
import MoyaCurl
import MoyaTesting
import MoyaTransport
import Testing

/// Each in a process of its own: the environment is looked at once.
@Suite struct ProxyEnvironmentTests {
    @Test func theProxyOfTheEnvironmentIsAsked() async {
        await #expect(processExitsWith: .success) {
            let proxy = try await LoopbackServer { try await $0.respond(body: "from the proxy") }
            setenv("http_proxy", "\(proxy.url)", 1)
            let answer = try await CurlTransport.separate().run(
                TransportRequest(method: "GET", url: "http://origin.invalid/path"))
            #expect(answer.text == "from the proxy")
            #expect(proxy.requests.first?.target == "http://origin.invalid/path")
        }
    }

    @Test func aHostThatTheEnvironmentExceptsIsAskedItself() async {
        await #expect(processExitsWith: .success) {
            let proxy = try await LoopbackServer { try await $0.respond(body: "from the proxy") }
            let server = try await LoopbackServer { try await $0.respond(body: "from the server") }
            setenv("http_proxy", "\(proxy.url)", 1)
            setenv("no_proxy", "127.0.0.1", 1)
            #expect(try await CurlTransport.separate().run(server.request()).text == "from the server")
        }
    }
}
#endif
