#if os(Linux)
import Foundation
import MoyaCurl
import MoyaTesting
import MoyaTransport
import Testing
import TransportConformance

/// Each in a separate process: the environment is looked at once.
///
/// The variables are set before any thread starts, so that a later value replaces the first one: adding a new variable
/// would move the environment while others may read it.
@Suite struct ProxyEnvironmentTests {
    @Test func usesTheProxyOfTheEnvironment() async {
        await #expect(processExitsWith: .success) {
            for name in ["http_proxy", "no_proxy"] { setenv(name, "", 1) }
            let proxy = try await LoopbackServer { try await $0.respond(body: "from the proxy") }
            setenv("http_proxy", "\(proxy.url)", 1)
            let answer = try await CurlTransport.separate().run(
                HTTPRequest(method: "GET", url: "http://origin.invalid/path"))
            #expect(answer.text == "from the proxy")
            #expect(proxy.requests.first?.target == "http://origin.invalid/path")
        }
    }

    @Test func anEmptyVariableNamesNoProxy() async {
        await #expect(processExitsWith: .success) {
            for name in ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"] { setenv(name, "", 1) }
            let overrides = [
                TransportConfiguration.ResolveOverride(host: "a.test", port: 80, addresses: ["127.0.0.1"])
            ]
            #expect(CurlTransport.separate(.init(resolveOverrides: overrides)).configurationFailure == nil)
        }
    }

    @Test func hostExceptedByTheEnvironmentIsContactedDirectly() async {
        await #expect(processExitsWith: .success) {
            for name in ["http_proxy", "no_proxy"] { setenv(name, "", 1) }
            let proxy = try await LoopbackServer { try await $0.respond(body: "from the proxy") }
            let server = try await LoopbackServer { try await $0.respond(body: "from the server") }
            setenv("http_proxy", "\(proxy.url)", 1)
            setenv("no_proxy", "127.0.0.1", 1)
            #expect(try await CurlTransport.separate().run(server.request()).text == "from the server")
        }
    }

    /// Either is in libcurl's own message, by its version.
    @Test func aProxyOfTheEnvironmentThatIsNotThereIsNamedOrItsAddress() async {
        await #expect(processExitsWith: .success) {
            for name in ["http_proxy", "no_proxy"] { setenv(name, "", 1) }
            let closed = try ClosedPort()
            setenv("http_proxy", "http://127.0.0.1:\(closed.port)", 1)
            let answer = try await CurlTransport.separate().run(
                HTTPRequest(method: "GET", url: "http://origin.invalid/path"))
            let message = try #require(answer.failure).message
            #expect(
                message.contains("The proxy of the environment: ")
                    || message.contains("127.0.0.1 port \(closed.port)"), "\(message)")
            withExtendedLifetime(closed) {}
        }
    }

    /// libcurl's own message quotes the value, with the password.
    @Test func aMalformedProxyOfTheEnvironmentIsNotQuoted() async {
        await #expect(processExitsWith: .success) {
            for name in ["http_proxy", "no_proxy"] { setenv(name, "", 1) }
            for proxy in [
                "http://user:pa#s3cr3t@127.0.0.1:1", "user:s3cr3t@127.0.0.1:99999", "none://user:s3cr3t@127.0.0.1:1",
            ] {
                setenv("http_proxy", proxy, 1)
                let answer = try await CurlTransport.separate().run(
                    HTTPRequest(method: "GET", url: "http://origin.invalid/path"))
                let failure = try #require(answer.failure)
                #expect(failure.message.contains("http_proxy"), "\(failure.message)")
                #expect(!failure.message.contains("s3cr3t"), "\(failure.message)")
            }
        }
    }
}
#endif
