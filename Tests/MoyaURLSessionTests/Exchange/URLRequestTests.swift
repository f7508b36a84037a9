import Foundation
import MoyaTransport
import Testing

@testable import MoyaURLSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct URLRequestTests {
    private static func refusal(_ request: HTTPRequest) -> TransportFailure? {
        do throws(TransportFailure) {
            _ = try URLRequest(request)
            return nil
        } catch {
            return error
        }
    }

    @Test func valuesOfOneNameAreJoined() throws {
        let fields = [("A", "1"), ("Cookie", "b=1"), ("a", "2"), ("cookie", "c=2")]
        let request = try URLRequest(
            HTTPRequest(
                method: "GET", url: "http://localhost/", fields: fields.map { HTTPField(name: $0.0, value: $0.1) }))
        #expect(request.value(forHTTPHeaderField: "a") == "1, 2")
        #expect(request.value(forHTTPHeaderField: "Cookie") == "b=1; c=2")
    }

    @Test func featuresOfFoundationAreDisabled() throws {
        let request = try URLRequest(HTTPRequest(method: "PUT", url: "https://localhost/a?b"))
        #expect(request.httpMethod == "PUT")
        #expect(request.url?.absoluteString == "https://localhost/a?b")
        #expect(!request.httpShouldHandleCookies)
        #expect(request.timeoutInterval == URLSessionSettings.noTimeout)
    }

    @Test func networkSettingsOfTheOriginalRequestAreKept() throws {
        var original = URLRequest(url: try #require(URL(string: "https://localhost/")))
        original.allowsCellularAccess = false
        original.networkServiceType = .background
        var http = HTTPRequest(method: "GET", url: "https://localhost/")
        http.urlRequest = original
        let request = try URLRequest(http)
        #expect(!request.allowsCellularAccess)
        #expect(request.networkServiceType == .background)
    }

    /// Foundation on Linux traps at eight million bytes.
    @Test func aURLOrMethodOfMegabytesIsRefused() {
        let long = String(repeating: "a", count: 8_000_001)
        #expect(Self.refusal(HTTPRequest(method: "GET", url: "http://localhost/" + long))?.kind == .unsupported)
        #expect(Self.refusal(HTTPRequest(method: long, url: "http://localhost/"))?.kind == .unsupported)
    }

    @Test func aConnectTimeoutIsRefusedByName() {
        let request = HTTPRequest(method: "GET", url: "http://localhost/", timeouts: .init(connect: 1))
        #expect(Self.refusal(request)?.message.contains("timeouts.connect") == true)
    }

    #if canImport(Darwin)
    private static let methodsWithoutBody = ["GET", "get"]
    #else
    private static let methodsWithoutBody = ["GET", "get", "HEAD", "Head"]
    #endif

    @Test(arguments: methodsWithoutBody) func aBodyThatWouldNotBeSentIsRefused(method: String) {
        let request = HTTPRequest(method: method, url: "http://localhost/", body: .data(Data([1])))
        #expect(Self.refusal(request)?.kind == .unsupported)
    }

    // MARK: What would become another request

    @Test func controlCharactersAreRefusedEverywhere() {
        for code in Array(UInt8(0)..<9) + Array(UInt8(10)..<32) + [0x7F] {
            let text = "a" + String(Unicode.Scalar(code)) + "b"
            var requests = [
                HTTPRequest(method: text, url: "http://localhost/"),
                HTTPRequest(method: "GET", url: "http://localhost/" + text),
                HTTPRequest(method: "GET", url: "http://localhost/?" + text),
                HTTPRequest(method: "GET", url: "http://localhost/", fields: [HTTPField(name: text, value: "")]),
            ]
            for name in ["X-Own", "Host", "Cookie", "Authorization", "Forwarded", "Content-Length", "Connection"] {
                let field = HTTPField(name: name, value: text)
                requests.append(HTTPRequest(method: "GET", url: "http://localhost/", fields: [field]))
            }
            for scheme in TransportAuthentication.Scheme.allCases {
                for (user, password) in [(text, "p"), ("u", text)] {
                    let answer = TransportAuthentication(scheme: scheme, user: user, password: password)
                    requests.append(
                        HTTPRequest(method: "GET", url: "http://localhost/", authentication: answer))
                }
            }
            for request in requests { #expect(Self.refusal(request)?.kind == .unsupported, "\(code) \(request)") }
        }
    }

    @Test func aCredentialWithAControlCharacterIsNamed() {
        for scheme in TransportAuthentication.Scheme.allCases {
            let answer = TransportAuthentication(scheme: scheme, user: "a\r\nb", password: "secret")
            let refusal = Self.refusal(
                HTTPRequest(method: "GET", url: "http://localhost/", authentication: answer))
            #expect(refusal?.message.contains("user name") == true)
        }
    }

    @Test func fieldsOfTheConnectionAreLeftOut() throws {
        let dropped = [
            "Content-Length", "transfer-encoding", "Connection", "Keep-Alive", "Proxy-Connection", "TE", "Trailer",
            "HTTP2-Settings", "Proxy-Authorization", "Expect",
        ]
        let request = try URLRequest(
            HTTPRequest(
                method: "GET", url: "http://localhost/",
                fields: (dropped + ["X-Own"]).map { HTTPField(name: $0, value: "5") }))
        #expect(request.allHTTPHeaderFields == ["X-Own": "5"])
    }

    @Test(arguments: ["http://user:secret@localhost/", "http://@localhost/", "http://a%0d%0ab@localhost/"])
    func userInformationIsRefused(_ url: String) {
        let refusal = Self.refusal(HTTPRequest(method: "GET", url: url))
        #expect(refusal?.kind == .unsupported)
        #expect(refusal?.message.contains("secret") == false)
    }

    @Test func anUpgradeAndCONNECTAreRefusedByName() {
        let upgrade = HTTPRequest(
            method: "GET", url: "http://localhost/", fields: [HTTPField(name: "Upgrade", value: "h2c")])
        #expect(Self.refusal(upgrade)?.message.contains("Upgrade") == true)
        #expect(
            Self.refusal(HTTPRequest(method: "CONNECT", url: "http://localhost/"))?.message.contains("CONNECT")
                == true)
    }

    #if os(Linux)
    @Test(arguments: TransportAuthentication.Scheme.allCases)
    func aSchemeThatIsNotAnsweredIsNamed(_ scheme: TransportAuthentication.Scheme) {
        let authentication = TransportAuthentication(scheme: scheme, user: "a", password: "b")
        let request = HTTPRequest(method: "GET", url: "http://localhost/", authentication: authentication)
        #expect(Self.refusal(request)?.message.contains(scheme.rawValue) == true)
    }
    #endif
}
