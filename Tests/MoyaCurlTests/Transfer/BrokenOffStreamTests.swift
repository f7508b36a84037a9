#if os(Linux)
import Foundation
import MoyaTesting
import MoyaTransport
import Testing

@testable import MoyaCurl

/// A response over HTTP/2 without a stated length is complete once its server has ended the stream, and not before (RFC
/// 9113 section 8.1).
@Suite(.timeLimit(.minutes(3))) struct BrokenOffStreamTests {
    /// The frames that follow the head and two bytes of a response.
    struct Ending: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let frames: [UInt8]
        var closes = false
    }

    static let cuts = [
        Ending(testDescription: "RST_STREAM", frames: frame(.reset, payload: [0, 0, 0, 0])),
        Ending(
            testDescription: "DATA and RST_STREAM",
            frames: frame(.data, payload: [120]) + frame(.reset, payload: [0, 0, 0, 0])),
        Ending(testDescription: "the end of the connection", frames: [], closes: true),
    ]

    static let ends = [
        Ending(testDescription: "END_STREAM", frames: frame(.data, flags: 1)),
        Ending(
            testDescription: "padding as long as RST_STREAM", frames: frame(.data, flags: 9, payload: [3, 0, 0, 0])),
        Ending(testDescription: "trailers", frames: frame(.headers, flags: 5, payload: [0x40, 1, 97, 1, 98])),
        Ending(
            testDescription: "END_STREAM and RST_STREAM",
            frames: frame(.data, flags: 1) + frame(.reset, payload: [0, 0, 0, 0])),
        Ending(
            testDescription: "PING, END_STREAM and GOAWAY",
            frames: frame(.ping, stream: 0, payload: [0, 0, 0, 0, 0, 0, 0, 0]) + frame(.data, flags: 1)
                + frame(.goaway, stream: 0, payload: [0, 0, 0, 1, 0, 0, 0, 0]), closes: true),
    ]

    @Test(arguments: cuts, ["GET", "POST"])
    func aResponseThatIsCutIsAnError(_ cut: Ending, _ method: String) async throws {
        let answer = try await answer(endedBy: cut, to: method)
        #expect(answer.head?.status == 200)
        #expect(answer.failure != nil)
    }

    @Test(arguments: ends, ["GET", "POST"])
    func aResponseWhoseStreamEndsIsComplete(_ end: Ending, _ method: String) async throws {
        let answer = try await answer(endedBy: end, to: method)
        #expect(answer.head?.status == 200)
        #expect(answer.text == "ok")
        #expect(answer.failure == nil)
    }

    /// The server reads no more, and says nothing.
    @Test func aCompleteResponseEndsATransferWhoseBodyIsNotTaken() async throws {
        let server = try await server(endedBy: Self.ends[0])
        let body = TransportBody.data(Data(count: 1 << 20))
        let request = HTTPRequest(
            method: "POST", url: server.url.absoluteString, body: body, timeouts: .init(idle: 0.3))
        let answer = try await transport.run(request)
        #expect(answer.text == "ok")
        #expect(answer.failure == nil)
    }

    private let transport = CurlTransport.separate(
        TransportConfiguration(httpVersions: .http2PriorKnowledge, proxy: .none))

    private func answer(endedBy ending: Ending, to method: String) async throws -> Recording {
        let hasBegun = Gate()
        let server = try await server(endedBy: ending, after: hasBegun)
        let body = method == "POST" ? TransportBody.data(Data("body".utf8)) : .none
        let exchange = transport.begin(HTTPRequest(method: method, url: server.url.absoluteString, body: body))
        _ = try await exchange.sink.waitUntil { $0.body.count == 2 }
        hasBegun.open()
        return try await exchange.sink.waitForEnd()
    }

    /// A server that responds to the head of the first request of each connection.
    private func server(endedBy ending: Ending, after gate: Gate? = nil) async throws -> LoopbackServer {
        try await LoopbackServer(onConnection: { connection in
            var reader = FrameReader()
            while !reader.hasRequest { reader.take(try await connection.receive()) }
            let settings = Self.frame(.settings, stream: 0) + Self.frame(.settings, flags: 1, stream: 0)
            try await connection.send(
                settings + Self.frame(.headers, flags: 4, payload: [0x88]) + Self.frame(.data, payload: [111, 107]))
            try await gate?.wait()
            try await connection.send(ending.frames)
            if ending.closes { return connection.close() }
            try await connection.stallUntilClosed()
        }) { _ in }
    }

    private enum Kind: UInt8 {
        case data = 0
        case headers = 1
        case reset = 3
        case settings = 4
        case ping = 6
        case goaway = 7
    }

    /// A frame (RFC 9113 section 4.1) of the first request's stream, by default.
    private static func frame(_ kind: Kind, flags: UInt8 = 0, stream: UInt8 = 1, payload: [UInt8] = []) -> [UInt8] {
        [0, 0, UInt8(payload.count), kind.rawValue, flags, 0, 0, 0, stream] + payload
    }

    /// Finds the head of a request behind the connection preface.
    private struct FrameReader {
        private var bytes: [UInt8] = []
        private(set) var hasRequest = false
        private var position = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8.count

        mutating func take(_ more: Data) {
            bytes += more
            while bytes.count >= position + 9 {
                if bytes[position + 3] == Kind.headers.rawValue { hasRequest = true }
                position += 9 + Int(bytes[position]) << 16 + Int(bytes[position + 1]) << 8 + Int(bytes[position + 2])
            }
        }
    }
}
#endif
