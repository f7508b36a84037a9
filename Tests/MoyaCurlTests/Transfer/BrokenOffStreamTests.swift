#if os(Linux)
import Foundation
import MoyaTesting
import MoyaTransport
import Testing
import TransportConformance

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

    // MARK: Early responses

    /// A libcurl that drops the bytes before the reset must not make half a response of it.
    @Test(arguments: [200, 403], [false, true])
    func aResetAfterTheEndLosesNothingUnnoticed(_ status: Int, _ waits: Bool) async throws {
        for rest in [3, 16_000] {
            let content = [UInt8](repeating: 120, count: rest)
            let end = Ending(
                testDescription: "END_STREAM and RST_STREAM",
                frames: Self.frame(.data, flags: 1, payload: content) + Self.frame(.reset, payload: [0, 0, 0, 0]))
            let body = waits ? TransportBody.stream(HeldBody(), length: nil) : .data(Data(count: 1 << 20))
            let answer = try await answer(endedBy: end, to: "POST", body, status: status, idle: 0.5)
            #expect(answer.failure != nil || answer.body.count == 2 + rest)
        }
    }

    /// libcurl does not deliver the trailers of a stream that is reset.
    @Test func aResetAfterTrailersLosesThemNotUnnoticed() async throws {
        let trailers = [UInt8](arrayLiteral: 0, 1) + "t".utf8 + [1] + "v".utf8
        let end = Ending(
            testDescription: "trailers and RST_STREAM",
            frames: Self.frame(.headers, flags: 5, payload: trailers) + Self.frame(.reset, payload: [0, 0, 0, 8]))
        for method in ["GET", "POST"] {
            let answer = try await answer(endedBy: end, to: method, idle: 0.5)
            #expect(answer.failure != nil || answer.ends.first?.trailers.map(\.value) == ["v"])
        }
    }

    @Test func aResetLongAfterTheEndIsNoError() async throws {
        let (hasBegun, hasArrived) = (Gate(), Gate())
        let server = try await server(
            sending: [
                (hasBegun, Self.frame(.data, flags: 1, payload: [101, 110, 100])),
                (hasArrived, Self.frame(.reset, payload: [0, 0, 0, 0])),
            ])
        let request = HTTPRequest(
            method: "POST", url: server.url.absoluteString, body: .data(Data(count: 1 << 20)))
        let exchange = transport.begin(request)
        _ = try await exchange.sink.waitUntil { $0.body.count == 2 }
        hasBegun.open()
        _ = try await exchange.sink.waitUntil { $0.body.count == 5 }
        hasArrived.open()
        let answer = try await exchange.sink.waitForEnd()
        #expect(answer.text == "okend")
        #expect(answer.failure == nil)
    }

    @Test func trailersOfAResponseWhoseUploadIsNotTakenAreNotLostUnnoticed() async throws {
        let trailers = [UInt8](arrayLiteral: 0, 1) + "t".utf8 + [1] + "v".utf8
        let server = try await server(sending: [(nil, Self.frame(.headers, flags: 5, payload: trailers))])
        let body = TransportBody.data(Data(count: 1 << 20))
        let request = HTTPRequest(
            method: "POST", url: server.url.absoluteString, body: body, timeouts: .init(idle: 0.3))
        let answer = try await transport.run(request)
        #expect(answer.kind == .truncated || answer.ends.first?.trailers.map(\.value) == ["v"])
    }

    /// The server reads no more, and says nothing.
    @Test func aCompleteResponseEndsATransferWhoseBodyIsNotTaken() async throws {
        let server = try await server(sending: [(nil, Self.frame(.data, flags: 1))])
        let body = TransportBody.data(Data(count: 1 << 20))
        let request = HTTPRequest(
            method: "POST", url: server.url.absoluteString, body: body, timeouts: .init(idle: 0.3))
        let answer = try await transport.run(request)
        #expect(answer.text == "ok")
        #expect(answer.failure == nil)
    }

    /// The upload goes on, and its bytes have not been asked for yet.
    @Test func anEarlyResponseEndsWithItsStream() async throws {
        let end = Ending(testDescription: "END_STREAM", frames: Self.frame(.data, flags: 1))
        let answer = try await answer(endedBy: end, to: "POST", .stream(HeldBody(), length: nil))
        #expect(answer.text == "ok")
        #expect(answer.failure == nil)
    }

    /// libcurl delivers them once the upload has ended; some versions may drop them (`CurlVersion.mayDropTrailers`).
    @Test func theTrailersOfAnEarlyResponseComeWithTheEndOfTheUploadOrFailTheCall() async throws {
        let trailers = [UInt8](arrayLiteral: 0, 1) + "t".utf8 + [1] + "v".utf8
        let body = HeldBody()
        let server = try await LoopbackServer(onConnection: { connection in
            var reader = FrameReader()
            while reader.requests.isEmpty { reader.take(try await connection.receive()) }
            let ping = Self.frame(.ping, stream: 0, payload: [UInt8](repeating: 0, count: 8))
            try await connection.send(
                Self.settings + Self.response() + Self.frame(.headers, flags: 5, payload: trailers) + ping)
            while !reader.hasPong { reader.take(try await connection.receive()) }
            body.finish()
            try await connection.stallUntilClosed()
        }) { _ in }
        let request = HTTPRequest(
            method: "POST", url: server.url.absoluteString, body: .stream(body, length: nil))
        let answer = try await transport.run(request)
        if CurlVersion.loaded.mayDropTrailers, answer.failure != nil { return #expect(answer.kind == .truncated) }
        #expect(answer.ends.first?.trailers.map(\.value) == ["v"])
        #expect(answer.failure == nil)
    }

    // MARK: Refused requests

    /// RFC 9113 section 8.7.
    static let refusals = [
        Ending(testDescription: "RST_STREAM", frames: frame(.reset, payload: [0, 0, 0, 7])),
        Ending(
            testDescription: "GOAWAY", frames: frame(.goaway, stream: 0, payload: [0, 0, 0, 0, 0, 0, 0, 0])),
        Ending(
            testDescription: "GOAWAY with an error code",
            frames: frame(.goaway, stream: 0, payload: [0, 0, 0, 0, 0, 0, 0, 2])),
    ]

    @Test(arguments: refusals, ["GET", "POST"])
    func aRequestThatTheServerRefusesIsSentAgain(_ refusal: Ending, _ method: String) async throws {
        let requests = Lock(0)
        let server = try await server { requests.add(1) == 1 ? refusal.frames : nil }
        let body = method == "POST" ? TransportBody.data(Data("body".utf8)) : .none
        let answer = try await transport.run(
            HTTPRequest(method: method, url: server.url.absoluteString, body: body))
        #expect(answer.text == "ok")
        #expect(answer.failure == nil)
        #expect(requests.value == 2)
    }

    @Test(arguments: refusals) func aRequestThatIsAlwaysRefusedFails(_ refusal: Ending) async throws {
        let requests = Lock(0)
        let server = try await server {
            requests.add(1)
            return refusal.frames
        }
        let answer = try await transport.run(HTTPRequest(method: "POST", url: server.url.absoluteString))
        #expect(answer.failure != nil)
        #expect(requests.value <= 12)
    }

    private let transport = CurlTransport.separate(
        TransportConfiguration(httpVersions: .http2PriorKnowledge, proxy: .none))

    private func answer(
        endedBy ending: Ending, to method: String, _ body: TransportBody? = nil, status: Int = 200, idle: Double = 60
    ) async throws -> HeardEvents {
        let hasBegun = Gate()
        let server = try await server(sending: [(hasBegun, ending.frames)], status: status, closes: ending.closes)
        let small = method == "POST" ? TransportBody.data(Data("body".utf8)) : .none
        let exchange = transport.begin(
            HTTPRequest(
                method: method, url: server.url.absoluteString, body: body ?? small, timeouts: .init(idle: idle)))
        _ = try await exchange.sink.waitUntil { $0.body.count == 2 }
        hasBegun.open()
        return try await exchange.sink.waitForEnd()
    }

    /// A server that responds to the head of the first request of each connection, and sends further frames at a gate.
    private func server(
        sending steps: [(gate: Gate?, frames: [UInt8])], status: Int = 200, closes: Bool = false
    ) async throws -> LoopbackServer {
        try await LoopbackServer(onConnection: { connection in
            var reader = FrameReader()
            while reader.requests.isEmpty { reader.take(try await connection.receive()) }
            try await connection.send(Self.settings + Self.response(status))
            for step in steps {
                try await step.gate?.wait()
                try await connection.send(step.frames)
            }
            if closes { return connection.close() }
            try await connection.stallUntilClosed()
        }) { _ in }
    }

    /// A server that answers each request with the frames of a refusal, or whole.
    private func server(refusal: @escaping @Sendable () -> [UInt8]?) async throws -> LoopbackServer {
        try await LoopbackServer(onConnection: { connection in
            var reader = FrameReader()
            var answered = 0
            while case let bytes = try await connection.receive(), !bytes.isEmpty {
                reader.take(bytes)
                for stream in reader.requests[answered...] {
                    let settings = answered == 0 ? Self.settings : []
                    let answer = refusal() ?? Self.response() + Self.frame(.data, flags: 1)
                    try await connection.send(settings + Self.moved(answer, to: stream))
                    answered += 1
                }
            }
        }) { _ in }
    }

    /// The frames of the first stream as those of another one.
    private static func moved(_ frames: [UInt8], to stream: UInt8) -> [UInt8] {
        var moved = frames
        var position = 0
        while position < frames.count {
            if frames[position + 8] == 1 { moved[position + 8] = stream }
            position += 9 + Int(frames[position + 1]) << 8 + Int(frames[position + 2])
        }
        return moved
    }

    private static let settings = frame(.settings, stream: 0) + frame(.settings, flags: 1, stream: 0)

    /// The head and two bytes of a response.
    private static func response(_ status: Int = 200) -> [UInt8] {
        frame(.headers, flags: 4, payload: [8, 3] + "\(status)".utf8) + frame(.data, payload: [111, 107])
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
        [0, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF), kind.rawValue, flags, 0, 0, 0, stream] + payload
    }

    /// A body that has no bytes, until it ends.
    private final class HeldBody: TransportBodyReader {
        private let state = Lock<(isOver: Bool, waiter: (@Sendable () -> Void)?)>((false, nil))

        func read(into buffer: UnsafeMutableRawBufferPointer, whenReadable: @escaping @Sendable () -> Void) -> Int? {
            state.withLock { state in
                if state.isOver { return 0 }
                state.waiter = whenReadable
                return nil
            }
        }

        func finish() {
            state.withLock { state in
                state.isOver = true
                return state.waiter.take()
            }?()
        }

        func rewind() -> Bool { true }
    }

    /// Finds the heads of requests behind the connection preface.
    private struct FrameReader {
        private var bytes: [UInt8] = []
        /// The streams of the requests.
        private(set) var requests: [UInt8] = []
        /// `true` if a PING was answered.
        private(set) var hasPong = false
        private var position = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8.count

        mutating func take(_ more: Data) {
            bytes += more
            while bytes.count >= position + 9 {
                let kind = Kind(rawValue: bytes[position + 3])
                if kind == .headers { requests.append(bytes[position + 8]) }
                if kind == .ping { hasPong = true }
                position += 9 + Int(bytes[position]) << 16 + Int(bytes[position + 1]) << 8 + Int(bytes[position + 2])
            }
        }
    }
}
#endif
