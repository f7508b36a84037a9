#if os(Linux)
import CMoyaCurl
import Foundation
import MoyaTesting
import MoyaTransport
import Testing
import TransportConformance

@testable import MoyaCurl

@Suite(.timeLimit(.minutes(3))) struct HeaderListTests {
    /// The request as the server sees it.
    private func received(
        _ method: String = "GET", _ target: String = "/", _ fields: [(String, String)] = [],
        body: TransportBody = .none
    ) async throws -> LoopbackRequest {
        let server = try await LoopbackServer { exchange in
            _ = try await exchange.body()
            try await exchange.respond()
        }
        let answer = try await CurlTransport.separate().run(server.request(method, target, fields, body: body))
        #expect(answer.failure == nil)
        return try #require(server.requests.first)
    }

    @Test(arguments: [
        "GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "HEAD", "PROPFIND", "get", "M-SEARCH", "QUERY",
    ])
    func theMethodIsSentAsSpelled(_ method: String) async throws {
        #expect(try await received(method).method == method)
    }

    @Test(arguments: ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND", "QUERY"])
    func everyMethodMayHaveABody(_ method: String) async throws {
        let request = try await received(method, body: .data(Data("body".utf8)))
        #expect(request.method == method)
        #expect(request.body == Data("body".utf8))
        #expect(request.fields.values(for: "content-length") == ["4"])
    }

    @Test(arguments: [("POST", "0"), ("PUT", "0"), ("PATCH", "0"), ("GET", nil), ("HEAD", nil), ("DELETE", nil)])
    func aLengthIsStatedWithoutABodyOnlyWhereOneIsExpected(_ method: String, _ length: String?) async throws {
        let request = try await received(method)
        #expect(request.fields["Content-Length"] == length)
        #expect(request.fields["Transfer-Encoding"] == nil)
    }

    @Test func anEmptyBodyHasTheLengthZero() async throws {
        let request = try await received("POST", body: .data(Data()))
        #expect(request.fields.values(for: "content-length") == ["0"])
    }

    @Test(arguments: ["/a/../b", "/a//b/./c", "/%2e%2E/x", "/a%20b?c=%26&d=e+f", "/?", "/a/../b?", "/;p=1?x=/y?z"])
    func theTargetIsSentAsItIs(_ target: String) async throws {
        #expect(try await received("GET", target).target == target)
    }

    @Test func fieldsKeepOrderSpellingAndDuplicates() async throws {
        let request = try await received("GET", "/", [("x-B", "1"), ("X-a", "2"), ("x-b", "3"), ("X-A", "4")])
        let own = request.fields.filter { $0.name.lowercased().hasPrefix("x-") }.map(\.description)
        #expect(own == ["x-B: 1", "X-a: 2", "x-b: 3", "X-A: 4"])
    }

    @Test func aFieldMayBeEmpty() async throws {
        let fields = try await received("GET", "/", [("X-Empty", "")]).fields
        #expect(fields.values(for: "X-Empty") == [""])
    }

    @Test(arguments: ["a;b", "a: b", "\"q\\\"\"", "é☕️", "x;"])
    func aValueIsSentAsItIs(_ value: String) async throws {
        let request = try await received("GET", "/", [("X-V", value)])
        #expect(request.fields["X-V"] == value)
    }

    @Test(arguments: ["Accept", "User-Agent", "Host", "Accept-Encoding"])
    func aFieldOfTheRequestReplacesTheWiresOwn(_ name: String) async throws {
        #expect(try await received("GET", "/", [(name, "mine")]).fields.values(for: name) == ["mine"])
    }

    /// It does not belong to the value (RFC 9110 section 5.5).
    @Test(arguments: ["a b", " a b", "a b ", "\ta b\t", " \t a b \t "])
    func whiteSpaceAroundAValueIsNotSent(value: String) throws {
        var list = HeaderList()
        _ = list.take([HTTPField(name: "X-A", value: value)], suppressesExpect: false, hasBody: false)
        let line = try #require(list.linked?.pointee.data)
        #expect(String(cString: line) == "X-A: a b")
    }

    /// A part of a coded form is not the part that was asked for.
    @Test func aRangeIsAskedForWithoutACoding() async throws {
        let request = try await received("GET", "/", [("Range", "bytes=0-9")])
        #expect(request.fields.values(for: "accept-encoding") == ["identity"])
    }

    @Test func theCodingsThatARangeNamesAreKept() async throws {
        let request = try await received("GET", "/", [("Range", "bytes=0-9"), ("Accept-Encoding", "br")])
        #expect(request.fields.values(for: "accept-encoding") == ["br"])
    }

    @Test func contentTypeIsNotInvented() async throws {
        #expect(try await received("POST", body: .data(Data("x".utf8))).fields["Content-Type"] == nil)
    }

    @Test func aLargeBodyDoesNotWaitForAnInterimResponse() async throws {
        let request = try await received("POST", body: .data(Data(count: 3 << 20)))
        #expect(request.fields["Expect"] == nil)
        #expect(request.body?.count == 3 << 20)
    }

    @Test func requestedExpectationIsSentAndItsAnswerReported() async throws {
        let server = try await LoopbackServer { exchange in
            _ = try await exchange.body()
            try await exchange.respond()
        }
        let answer = try await CurlTransport.separate().run(
            server.request("POST", "/", [("Expect", "100-continue")], body: .data(Data("x".utf8))))
        #expect(answer.informational.map(\.status) == [100])
        #expect(server.requests.first?.body == Data("x".utf8))
    }

    @Test(arguments: ["a\r\nX-Injected: 1", "a\nb", "a\rb", "a\0b"])
    func aLineBreakInAFieldIsRefused(_ value: String) async throws {
        let server = try await LoopbackServer { try await $0.respond() }
        let transport = CurlTransport.separate()
        for field in [("X", value), (value, "x")] {
            let answer = try await transport.run(server.request("GET", "/", [field]))
            #expect(answer.kind == .unsupported)
        }
        #expect(server.requestCount == 0)
    }

    @Test(arguments: ["G ET", "GET / HTTP/1.1\r\nX-Injected: 1\r\n\r\n", "GET\r\n", "GÉT", "", "GE\0T"])
    func aMethodThatIsNoTokenIsRefused(_ method: String) async throws {
        let server = try await LoopbackServer { try await $0.respond() }
        let answer = try await CurlTransport.separate().run(server.request(method, timeouts: .init(total: 5)))
        #expect(answer.kind == .unsupported)
        #expect(server.connectionCount == 0)
    }

    @Test(arguments: ["/a b", "/a\r\nX-Injected: 1", "/a\0b"])
    func aTargetThatWouldBreakItsLineIsRefused(_ target: String) async throws {
        let server = try await LoopbackServer { try await $0.respond() }
        let answer = try await CurlTransport.separate().run(server.request("GET", target))
        #expect(answer.kind == .unsupported)
        #expect(server.requestCount == 0)
    }

    @Test(arguments: ["a b", "a:b", ""])
    func aFieldNameThatIsNoTokenIsRefused(_ name: String) async throws {
        let server = try await LoopbackServer { try await $0.respond() }
        let answer = try await CurlTransport.separate().run(server.request("GET", "/", [(name, "x")]))
        #expect(answer.kind == .unsupported)
        #expect(server.requestCount == 0)
    }

    @Test func nextRequestInheritsNoFields() async throws {
        let server = try await LoopbackServer { exchange in
            _ = try await exchange.body()
            try await exchange.respond()
        }
        let transport = CurlTransport.separate()
        let fields = [("X-A", "1"), ("Expect", "")]
        _ = try await transport.run(server.request("PROPFIND", "/", fields, body: .data(Data("x".utf8))))
        _ = try await transport.run(server.request("HEAD"))
        _ = try await transport.run(server.request())
        let last = try #require(server.requests.last)
        #expect(last.method == "GET")
        #expect(last.fields["X-A"] == nil)
        #expect(last.fields["Content-Length"] == nil)
        #expect(last.fields["Transfer-Encoding"] == nil)
    }
}
#endif
