#if OpenAPI
import Foundation
import HTTPTypes
// snippet: README, OpenAPI
import MoyaOpenAPI
import MoyaSession
// end
import MoyaTesting
import MoyaTransport
import OpenAPIRuntime
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite(.timeLimit(.minutes(5))) struct SessionClientTransportTests {
    private func client(
        of server: LoopbackServer, path: String = "", interceptor: (any RequestInterceptor)? = nil
    ) throws -> StoreClient {
        let url = try #require(URL(string: "http://127.0.0.1:\(server.port)\(path)"))
        return StoreClient(
            serverURL: url, transport: SessionClientTransport(session: Session(), interceptor: interceptor))
    }

    private func server(_ status: Int = 200, body: String = "ok") async throws -> LoopbackServer {
        try await LoopbackServer { exchange in
            _ = try await exchange.body()
            try await exchange.respond(status, ["X-Kind": "test"], body: body)
        }
    }

    @Test func requestHasTheMethodTheFieldsAndTheBody() async throws {
        let server = try await server()
        let output = try await client(of: server).send(.put, "/files/a%20b?c=d", [.accept: "text/plain"], body: "hello")
        #expect(try await output.text() == "ok")
        let request = try #require(server.requests.first)
        #expect(request.method == "PUT" && request.target == "/files/a%20b?c=d")
        #expect(request.fields["Accept"] == "text/plain" && request.body == Data("hello".utf8))
    }

    @Test(arguments: [
        ("", "/a", "/a"), ("/", "/a", "/a"), ("/v1", "/a", "/v1/a"), ("/v1/", "/a?b", "/v1/a?b"), ("/v1", "", "/v1"),
        ("/v1?x=y", "/a", "/v1/a"), ("/%C3%A9", "/a", "/%C3%A9/a"),
    ])
    func pathIsAppendedToTheServers(base: String, path: String, target: String) async throws {
        let server = try await server()
        _ = try await client(of: server, path: base).send(.get, path)
        #expect(server.requests.first?.target == target)
    }

    @Test(arguments: [200, 201, 404, 500])
    func everyStatusIsAResponse(status: Int) async throws {
        let server = try await server(status, body: "said")
        let output = try await client(of: server).send(.get, "/a")
        #expect(output.response.status.code == status)
        #expect(output.response.headerFields[try #require(.init("X-Kind"))] == "test")
        #expect(try await output.text() == "said")
    }

    @Test func readmeSampleCallsTheServer() async throws {
        let server = try await server()
        let url = server.url
        // snippet: README, OpenAPI
        let transport = SessionClientTransport(session: Session(interceptor: RetryPolicy()))
        let client = StoreClient(serverURL: url, transport: transport)
        // end
        #expect(try await client.send(.get, "/a").text() == "ok")
    }

    @Test func lengthOfABodyIsKnown() async throws {
        let server = try await server(body: "four")
        let output = try await client(of: server).send(.get, "/a")
        #expect(output.body?.length == .known(4))
    }

    @Test func headHasNoBody() async throws {
        let server = try await LoopbackServer { exchange in
            try await exchange.send(head: 200, ["Content-Length": "4"])
        }
        let output = try await client(of: server).send(.head, "/a")
        #expect(output.response.headerFields[.contentLength] == "4")
        #expect(output.body == nil)
    }

    @Test func statusWithoutContentHasNoBody() async throws {
        let server = try await LoopbackServer { exchange in try await exchange.send(head: 204, [:]) }
        #expect(try await client(of: server).send(.delete, "/a").body == nil)
    }

    @Test func bodyOfUnknownLengthIsSentInChunks() async throws {
        let server = try await server()
        let pieces = AsyncStream<ArraySlice<UInt8>> { continuation in
            for piece in ["hel", "lo"] { continuation.yield(ArraySlice(piece.utf8)) }
            continuation.finish()
        }
        _ = try await client(of: server).send(.post, "/a", body: HTTPBody(pieces, length: .unknown))
        let request = try #require(server.requests.first)
        #expect(request.body == Data("hello".utf8))
        #expect(request.fields["Transfer-Encoding"] == "chunked")
    }

    @Test func bodyIsSentAgainByARetry() async throws {
        let requests = Requests()
        let server = try await LoopbackServer { exchange in
            let body = try await exchange.body()
            try await exchange.respond(requests.next() == 0 ? 503 : 200, body: body)
        }
        let output = try await client(of: server, interceptor: OnceAgain()).send(.put, "/a", body: "hello")
        #expect(output.response.status.code == 200)
        #expect(try await output.text() == "hello")
    }

    @Test func responseThatIsNotRetriedKeepsItsBody() async throws {
        let server = try await server(503, body: "later")
        let output = try await client(of: server, interceptor: OnceAgain()).send(.get, "/a")
        #expect(output.response.status == .serviceUnavailable)
        #expect(try await output.text() == "later")
        #expect(server.requests.count == 2)
    }

    @Test func responseWhoseRetryCannotSendTheBodyAgainIsTheResponse() async throws {
        let server = try await server(503, body: "later")
        let elements = AsyncStream<ArraySlice<UInt8>> { continuation in
            continuation.yield(ArraySlice("hello".utf8))
            continuation.finish()
        }
        let body = HTTPBody(elements, length: .unknown, iterationBehavior: .single)
        let output = try await client(of: server, interceptor: OnceAgain()).send(.put, "/a", body: body)
        #expect(output.response.status == .serviceUnavailable)
        #expect(try await output.text() == "later")
        #expect(server.requests.count == 1)
    }

    @Test func refusedBodyOfAMebibyteIsRead() async throws {
        let server = try await server(404, body: String(repeating: "a", count: 1 << 20))
        let output = try await client(of: server).send(.get, "/a")
        #expect(try await output.text().utf8.count == 1 << 20)
    }

    @Test func refusedBodyThatIsTooLongIsAnErrorOfItsIteration() async throws {
        let server = try await server(404, body: String(repeating: "a", count: 2 << 20))
        let output = try await client(of: server).send(.get, "/a")
        #expect(output.response.status == .notFound)
        await #expect(throws: SessionError.self) { try await output.text() }
    }

    @Test func serverThatClosesTheConnectionIsAnError() async throws {
        let server = try await LoopbackServer { exchange in exchange.reset() }
        await #expect(throws: ClientError.self) { try await client(of: server).send(.post, "/a", body: "hello") }
    }

    @Test func brokenBodyIsAnErrorOfItsIteration() async throws {
        let server = try await LoopbackServer { exchange in
            try await exchange.send(head: 200, ["Content-Length": "10"])
            try await exchange.send("half")
            exchange.reset()
        }
        let output = try await client(of: server).send(.get, "/a")
        await #expect(throws: SessionError.self) { try await output.text() }
    }

    @Test func urlThatIsNotAbsoluteIsAnError() async throws {
        let client = StoreClient(
            serverURL: try #require(URL(string: "/v1")), transport: SessionClientTransport(session: Session()))
        await #expect(throws: ClientError.self) { try await client.send(.get, "/a") }
    }

    @Test func releasingTheBodyEndsTheExchange() async throws {
        let closed = Gate()
        let server = try await LoopbackServer { exchange in
            try await exchange.send(head: 200, [:])
            try await exchange.send("begin")
            try? await exchange.stallUntilClosed()
            closed.open()
        }
        _ = try await client(of: server).send(.get, "/a")
        try await closed.wait()
    }

    @Test func bodiesAreStreamedBothWays() async throws {
        let piece = ArraySlice<UInt8>(repeating: 7, count: 64 * 1024)
        let count = 256
        let server = try await LoopbackServer { exchange in
            let received = try await exchange.discardBody()
            try await exchange.send(head: 200, ["X-Received": "\(received)", "Transfer-Encoding": "chunked"])
            for _ in 0..<count { try await exchange.sendChunk(piece) }
            try await exchange.endChunks()
        }
        let pieces = AsyncStream<ArraySlice<UInt8>> { continuation in
            for _ in 0..<count { continuation.yield(piece) }
            continuation.finish()
        }
        let output = try await client(of: server).send(.post, "/a", body: HTTPBody(pieces, length: .unknown))
        #expect(output.response.headerFields[try #require(.init("X-Received"))] == "\(count * piece.count)")
        var received = 0
        for try await chunk in try #require(output.body) { received += chunk.count }
        #expect(received == count * piece.count)
    }
}

/// Counts from 0.
private final class Requests: Sendable {
    private let count = Lock(0)

    func next() -> Int {
        count.withLock { count in
            defer { count += 1 }
            return count
        }
    }
}

/// Sends a request that ended with a 503 a second time.
private struct OnceAgain: AsyncRequestInterceptor {
    func retry(_ request: Request, for session: Session, dueTo error: any Error) async -> RetryResult {
        request.response?.statusCode == 503 && request.retryCount == 0 ? .retry : .doNotRetry
    }
}
#endif
