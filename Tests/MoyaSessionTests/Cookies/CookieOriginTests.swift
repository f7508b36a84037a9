import Foundation
import MoyaTransport
import Testing

@testable import MoyaSession

@Suite struct CookieOriginTests {
    private func origin(_ url: String) throws -> CookieOrigin? { CookieOrigin(url: URL.sure(url)) }

    @Test(arguments: [
        ("HTTP://Example.COM:8080/A/b", "example.com", "/A/b"),
        ("http://example.com", "example.com", "/"),
        ("http://example.com?x=/y", "example.com", "/"),
        ("http://example.com/a%20b/", "example.com", "/a%20b/"),
        ("http://[::1]:80/", "::1", "/"),
    ])
    func hostAndPathAreRead(url: String, host: String, path: String) throws {
        let origin = try #require(try origin(url))
        #expect(origin.host == host)
        #expect(origin.path == path)
    }

    @Test(arguments: ["ftp://example.com/", "file:///tmp/x", "example.com/x", "http:///x", "mailto:a@example.com"])
    func otherSchemesHaveNoOrigin(url: String) throws {
        #expect(try origin(url) == nil)
    }

    @Test func aHostThatIsTooLongHasNoOrigin() throws {
        let labels = String(repeating: "a.", count: 121)
        #expect(try origin("http://\(labels)example.com/")?.host.utf8.count == 253)
        #expect(try origin("http://\(labels)a.example.com/") == nil)
    }

    @Test(arguments: [
        ("https://example.com/", true), ("HTTPS://example.com/", true), ("http://example.com/", false),
        ("http://localhost:8080/", true), ("http://127.0.0.1/", true), ("http://127.8.9.1/", true),
        ("http://app.localhost/", false), ("http://[::1]/", true), ("http://127.evil.com/", false),
        ("http://localhost.evil.com/", false), ("http://127.0.0.1.evil.com/", false),
        ("http://10.0.0.1/", false),
    ])
    func secureIsEncryptedOrThisMachine(url: String, isSecure: Bool) throws {
        #expect(try origin(url)?.isSecure == isSecure)
    }

    @Test func aHostBehindAProxyIsNotThisMachine() throws {
        let proxy = TransportConfiguration.Proxy(.http, host: "proxy.example", port: 80)
        for url in ["http://localhost/", "http://127.0.0.1/", "http://[::1]/"] {
            let origin = CookieOrigin(url: URL.sure(url), loopback: LoopbackTraffic(proxy: .custom(proxy)))
            #expect(origin?.isSecure == false)
        }
    }

    @Test(arguments: [
        ("http://e.com", "/"), ("http://e.com/", "/"), ("http://e.com/a", "/"), ("http://e.com/a/", "/a"),
        ("http://e.com/a/b", "/a"), ("http://e.com/a/b/c?d=/e/f", "/a/b"),
    ])
    func theDefaultPathIsTheDirectory(url: String, path: String) throws {
        #expect(try origin(url)?.defaultPath == path)
    }
}
