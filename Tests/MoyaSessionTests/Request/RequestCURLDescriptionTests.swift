import Foundation
import MoyaTesting
import MoyaTransport
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct RequestCURLDescriptionTests {
    private static let url = "http://a.example/"
    private let transport = SteppedTransport()

    @Test func aCURLHandlerRunsOnceWhenTheRequestIsSent() async {
        let session = Session.over(transport)
        let texts = Recorded<String>()
        let request = session.request(URLRequest.to(Self.url)).cURLDescription { texts.add($0) }
        #expect(texts.count == 0)
        request.resume()
        transport.exchanges[0].respond()
        #expect(texts.count == 1)
        #expect(texts.all[0].hasPrefix("$ curl -v"))
        #expect(texts.all[0].hasSuffix("\"http://a.example/\""))
    }

    @Test func everyCURLHandlerRunsOnTheThreadThatSends() {
        let session = Session.over(transport)
        let texts = Recorded<String>()
        let request = session.request(URLRequest.to(Self.url))
        for _ in 0..<2 { request.cURLDescription { texts.add($0) } }
        request.resume()
        #expect(texts.count == 2)
        request.cancel()
    }

    @Test func everyCURLHandlerRunsEvenForAFinishedRequest() async {
        let session = Session.over(transport)
        let request = session.request(URLRequest.to(Self.url)).resume()
        transport.exchanges[0].respond()
        for _ in 0..<2 {
            let text = await withCheckedContinuation { (continuation: CheckedContinuation<String, Never>) in
                request.cURLDescription(on: .global()) { continuation.resume(returning: $0) }
            }
            #expect(text.contains("-X GET"))
        }
        _ = session
    }

    @Test func fieldsThatAreDeclaredCredentialsAreMasked() async {
        let session = Session(
            configuration: .ephemeral, credentialPolicy: CredentialPolicy(fields: ["X-Badge"]),
            transport: StubbedTransport(.response(200)))
        let request = session.request(
            Self.url, headers: ["x-badge": "s3cr3t", "X-Pass-Number": "s3cr3t", "X-Own": "1"])
        request.keepFieldsAtOrigin(["X-Pass-Number"])
        _ = await request.outcome()
        #expect(!request.cURLDescription().contains("s3cr3t"))
        #expect(request.cURLDescription().contains("X-Own: 1"))
        #expect(request.cURLDescription(showingSecrets: true).contains("x-badge: s3cr3t"))
    }

    @Test(arguments: [true, false])
    func theCookiesThatAreSentAreInTheCURLText(handlesCookies: Bool) async throws {
        let configuration = URLSessionConfiguration.ephemeral
        let cookie = HTTPCookie(properties: [.name: "n", .value: "v", .domain: "a.example", .path: "/"])
        configuration.httpCookieStorage?.setCookie(try #require(cookie))
        let session = Session(configuration: configuration, transport: StubbedTransport(.response(200)))
        var urlRequest = URLRequest.to(Self.url)
        urlRequest.httpShouldHandleCookies = handlesCookies
        let request = session.request(urlRequest)
        _ = await request.outcome()
        #expect(request.cURLDescription(showingSecrets: true).contains("-b \"n=v\"") == handlesCookies)
        configuration.httpCookieStorage = nil
        let forgetful = Session(configuration: configuration, transport: StubbedTransport(.response(200)))
        let plain = forgetful.request(urlRequest)
        _ = await plain.outcome()
        #expect(!plain.cURLDescription(showingSecrets: true).contains("-b "))
    }

    @Test func aCURLTextHasEachFieldOnce() async {
        let session = Session.over(StubbedTransport(.response(200)), headers: ["Accept": "a/b", "X-Name": "session"])
        var urlRequest = URLRequest.to(Self.url)
        urlRequest.setValue("request", forHTTPHeaderField: "x-name")
        let request = session.request(urlRequest)
        _ = await request.outcome()
        let lines = request.cURLDescription().split(separator: "\n").filter { $0.contains("-H ") }
        #expect(lines.count == 2)
        #expect(lines.contains { $0.contains("request") } && !lines.contains { $0.contains("session") })
    }

    @Test func aCURLHandlerRunsForARequestThatCannotBeMade() async {
        let session = Session.over(transport)
        let text = await withCheckedContinuation { (continuation: CheckedContinuation<String, Never>) in
            session.request("http://a b/").cURLDescription { continuation.resume(returning: $0) }.resume()
        }
        #expect(text == CURLDescription.unavailable)
    }
}
