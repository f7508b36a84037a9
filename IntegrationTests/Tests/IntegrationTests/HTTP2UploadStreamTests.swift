import Foundation
import Moya
import MoyaSession
import Testing

/// Bodies of sequences, and trailers, over HTTP/2.
@Suite(.needsServers, .serialized, .timeLimit(.minutes(5)))
struct HTTP2UploadStreamTests {
    let servers: Servers
    let session: Session

    init() throws {
        servers = try #require(Servers.running)
        session = .trusting(servers)
    }

    @Test func aSequenceOfUnknownLengthArrivesWhole() async throws {
        let name = uniqueMark()
        let pieces = (0..<200).map { Data(repeating: UInt8($0), count: 10_007) }
        let body = UploadStream(
            AsyncStream { continuation in
                for piece in pieces { continuation.yield(piece) }
                continuation.finish()
            })
        let url = servers.nginxTLS.appendingPathComponent("uploads/\(name)")
        let response = await session.upload(body, to: url, method: .put).outcome()
        #expect(response.response?.statusCode == 201)
        #expect(response.metrics?.networkProtocol == "h2")
        let received = try Data(contentsOf: servers.uploads.appendingPathComponent(name))
        #expect(received == Data(pieces.joined()))
    }

    @Test func aResponseOfStatedLengthEndsAnUnfinishedBody() async throws {
        let server = try await StreamServer(of: servers)
        try await server.set("measured")
        let (elements, continuation) = AsyncStream<Data>.makeStream()
        continuation.yield(Data("a".utf8))
        let response = await session.upload(UploadStream(elements), to: try server.url()).outcome()
        #expect(response.error == nil)
        #expect(response.data == Data("whole".utf8))
    }

    @Test func anAnswerThatEndsBeforeTheBodyIsWhole() async throws {
        let server = try await StreamServer(of: servers)
        try await server.set("answer")
        let (elements, continuation) = AsyncStream<Data>.makeStream()
        continuation.yield(Data("a".utf8))
        let request = session.upload(UploadStream(elements), to: try server.url())
        let end = await request.outcomeOnceUnderWay()
        continuation.finish()
        #expect(await end.value.data == Data("whole".utf8))
    }

    /// As gRPC reports a failure; libcurl delivers them once the body has ended, too.
    @Test func trailersOfAnAnswerWithoutContentAreNotLostWhileTheBodyIsSent() async throws {
        let server = try await StreamServer(of: servers)
        try await server.set("status")
        let (elements, continuation) = AsyncStream<Data>.makeStream()
        continuation.yield(Data("a".utf8))
        let request = session.upload(UploadStream(elements), to: try server.url())
        let end = await request.outcomeOnceUnderWay()
        continuation.finish()
        let response = await end.value
        // From 8.3 on, libcurl drops them, which is an error.
        let isWhole = response.error == nil && response.trailers.dictionary == ["digest": "abc", "x-count": "3"]
        #expect(isWhole || response.error?.transportFailure?.kind == .truncated)
    }

    @Test func trailersAreAvailableAfterTheEnd() async throws {
        let server = try await StreamServer(of: servers)
        try await server.set("trailers")
        let response = await session.request(try server.url()).outcome()
        #expect(response.error == nil && response.data == Data("whole".utf8))
        #expect(response.trailers.dictionary == ["digest": "abc", "x-count": "3"])
    }
}
