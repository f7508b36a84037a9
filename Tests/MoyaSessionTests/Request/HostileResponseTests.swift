import Foundation
import MoyaTesting
import MoyaTransport
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Responses beyond any sane size, or made to fool: a value or a described error, and nothing worse.
@Suite struct HostileResponseTests {
    @Test func aLongFieldArrives() async throws {
        let long = String(repeating: "x", count: 60_000)
        let server = try await LoopbackServer { try await $0.respond(200, ["X-Long": long], body: "hello") }
        let session = Session.onTheWire()
        let outcome = await session.request(server.url).outcome()
        #expect(outcome.head?.value(for: "x-long") == long)
        #expect(outcome.data == Data("hello".utf8))
    }

    #if os(Linux)
    @Test(arguments: ["Content-Disposition", "content-type"])
    func foundationGetsAtMost96KiBOfAFieldThatItParses(name: String) throws {
        let head = TransportResponseHead(
            status: 200,
            fields: (0..<2).map { _ in HTTPField(name: name, value: String(repeating: ",", count: 60_000)) })
        let response = try #require(HTTPURLResponse(head: head, url: URL(fileURLWithPath: "/")))
        #expect(response.value(forHTTPHeaderField: name)?.utf8.count == 96 * 1024)
    }
    #endif

    @Test(.timeLimit(.minutes(1))) func joinsManyLinesOfOneNameInProportionToTheirNumber() throws {
        let value = String(repeating: "x", count: 100)
        let lines = [HTTPField](repeating: HTTPField(name: "X-Same", value: value), count: 150_000)
        let response = try #require(
            HTTPURLResponse(head: TransportResponseHead(status: 200, fields: lines), url: URL(fileURLWithPath: "/")))
        let joined = [String](repeating: value, count: lines.count).joined(separator: ", ")
        #expect(response.value(forHTTPHeaderField: "x-same") == joined)
        #expect(HTTPHeaders(joining: lines)["x-same"] == joined)
    }

    @Test func aHeaderSectionWithoutEndIsAnError() async throws {
        let server = try await LoopbackServer { exchange in
            try await exchange.send(raw: "HTTP/1.1 200 OK\r\n")
            let line = "X-More: \(String(repeating: "x", count: 60_000))\r\n"
            for _ in 0..<200 { try await exchange.send(raw: line) }
        }
        let session = Session.onTheWire()
        let outcome = await session.request(server.url).outcome()
        #expect(outcome.error?.transportFailure != nil)
        #expect(outcome.error?.localizedDescription.isEmpty == false)
        #expect(outcome.head == nil)
    }

    @Test func manyCookiesAreFields() async throws {
        var fields: LoopbackFields = [:]
        for number in 0..<900 { fields.append("Set-Cookie", "c\(number)=\(number)") }
        let server = try await LoopbackServer { [fields] in try await $0.respond(200, fields) }
        let session = Session.onTheWire()
        let outcome = await session.request(server.url).outcome()
        #expect(outcome.error == nil)
        #expect(outcome.head?.values(for: "Set-Cookie").count == 900)
    }

    @Test func aLongRequestFieldIsSentWhole() async throws {
        let server = try await LoopbackServer { try await $0.respond() }
        let long = String(repeating: "x", count: 60_000)
        let session = Session.onTheWire()
        #expect(await session.request(server.url, headers: ["Cookie": long]).outcome().error == nil)
        #expect(server.requests[0].fields["Cookie"] == long)
    }

    @Test(arguments: ["X-A", "X A", "X-A\r\nX-B", "X:A", ""])
    func refusesAMalformedFieldName(name: String) async {
        let transport = StubbedTransport(.response(200))
        let session = Session.over(
            transport,
            interceptor: Intercepting(adapt: { request, completion in
                var adapted = request
                adapted.allHTTPHeaderFields = [name: "1"]
                completion(.success(adapted))
            }))
        let error = await session.request(URLRequest.to("http://a.example/")).outcome().error
        #expect((error == nil) == (name == "X-A"))
        #expect(transport.requests.allSatisfy { $0.fields.allSatisfy { $0.name == "X-A" } })
    }

    @Test(arguments: ["GET / HTTP/1.1\r\nX: y", "G T", "", "G\0T", "Gé"])
    func refusesAMalformedMethod(method: String) async {
        let transport = StubbedTransport(.response(200))
        let session = Session.over(transport)
        let request = session.request(
            "http://a.example/", method: HTTPMethod(rawValue: method))
        let error = await request.outcome().error
        #expect(error != nil || transport.requests.allSatisfy { $0.method == "GET" }, "\(transport.requests)")
    }

    @Test(arguments: [
        "http://[::1", "//b.example:99999/", "http://b.example:99999999/", "http://", "http:///x", "?", "",
        "http://user:pass@/x", "\u{0}", "http://b.example/\u{7F}",
    ])
    func aMalformedLocationEndsTheCall(location: String) async {
        let transport = StubbedTransport(.response(302, [("Location", location)], "moved"), .response(200))
        let session = Session.over(transport)
        let outcome = await session.request(URLRequest.to("http://a.example/")).outcome()
        #expect(outcome.error != nil || outcome.head != nil)
        #expect(transport.requests.count <= 2)
        for sent in transport.requests { #expect(sent.url.hasPrefix("http://")) }
    }
}
