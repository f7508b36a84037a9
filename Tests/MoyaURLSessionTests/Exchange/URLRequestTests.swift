import Foundation
import MoyaTransport
import Testing

@testable import MoyaURLSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct URLRequestTests {
    private static func refusal(_ request: TransportRequest) -> TransportFailure? {
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
            TransportRequest(
                method: "GET", url: "http://localhost/", fields: fields.map { HTTPField(name: $0.0, value: $0.1) }))
        #expect(request.value(forHTTPHeaderField: "a") == "1, 2")
        #expect(request.value(forHTTPHeaderField: "Cookie") == "b=1; c=2")
    }

    @Test func nothingOfFoundationsOwnIsOn() throws {
        let request = try URLRequest(TransportRequest(method: "PUT", url: "https://localhost/a?b"))
        #expect(request.httpMethod == "PUT")
        #expect(request.url?.absoluteString == "https://localhost/a?b")
        #expect(!request.httpShouldHandleCookies)
        #expect(request.timeoutInterval == URLSessionSettings.noTimeout)
    }

    /// Foundation on Linux traps at eight million bytes.
    @Test func aURLOrMethodOfMegabytesIsRefused() {
        let long = String(repeating: "a", count: 8_000_001)
        #expect(Self.refusal(TransportRequest(method: "GET", url: "http://localhost/" + long))?.kind == .unsupported)
        #expect(Self.refusal(TransportRequest(method: long, url: "http://localhost/"))?.kind == .unsupported)
    }

    @Test func aBoundOnConnectingIsRefusedByName() {
        let request = TransportRequest(method: "GET", url: "http://localhost/", timeouts: .init(connect: 1))
        #expect(Self.refusal(request)?.message.contains("timeouts.connect") == true)
    }

    @Test func aBodyInAGetIsRefused() {
        let request = TransportRequest(method: "GET", url: "http://localhost/", body: .data(Data([1])))
        #expect(Self.refusal(request)?.kind == .unsupported)
    }

    #if os(Linux)
    @Test(arguments: TransportAuthentication.Scheme.allCases)
    func aSchemeThatIsNotAnsweredIsNamed(_ scheme: TransportAuthentication.Scheme) {
        let authentication = TransportAuthentication(scheme: scheme, user: "a", password: "b")
        let request = TransportRequest(method: "GET", url: "http://localhost/", authentication: authentication)
        #expect(Self.refusal(request)?.message.contains(scheme.rawValue) == true)
    }
    #endif
}
