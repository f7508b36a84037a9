import Foundation
import Moya
import MoyaTesting
import MoyaTransport
import Testing

/// Streams of servers that misbehave, and sequences that are not read as they are meant to be.
@Suite struct BadStreamTests {
    private static let type: LoopbackFields = ["Content-Type": "text/event-stream"]

    private let provider = MoyaProvider<AnyTarget>()

    private func elements<Element>(
        of sequence: ResponseSequence<Element>
    ) async -> (elements: [Element], error: MoyaError?) {
        var elements: [Element] = []
        do throws(MoyaError) {
            for try await element in sequence { elements.append(element) }
            return (elements, nil)
        } catch {
            return (elements, error)
        }
    }

    // MARK: Elements without end

    /// The parsers are tried with other bounds and every split; this is the bound that they have unasked.
    @Test(arguments: ["text/event-stream", "application/jsonl", "application/json"])
    func anElementWithoutEndEndsTheStreamAfter16MiB(type: String) async throws {
        let server = try await LoopbackServer { exchange in
            try await exchange.send(head: 200, ["Content-Type": type, "Transfer-Encoding": "chunked"])
            try await exchange.sendChunk(type == "application/json" ? "[\"" : "\"")
            let piece = [UInt8](repeating: 0x61, count: 1 << 20)
            while true { try await exchange.sendChunk(piece) }
        }
        let target = AnyTarget(baseURL: server.url)
        let error =
            type == "text/event-stream"
            ? await elements(of: provider.events(of: target, reconnecting: .default)).error
            : await elements(of: provider.jsonLines(of: target, as: String.self)).error
        #expect(error?.streamError == .elementTooLong(limit: 16 * 1024 * 1024))
        try await server.waitUntil { $0.handledCount == 1 }
        #expect(server.requestCount == 1)
    }

    // MARK: Bodies that are cut

    /// A gzip file (RFC 1952) of one stored block, without its end.
    private static func beginningOfGzip(_ text: String) -> [UInt8] {
        let count = UInt16(text.utf8.count)
        let lengths = [count, ~count].flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        return [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 0] + lengths + Array(text.utf8)
    }

    private static func sendCutGzip(_ framing: String, _ text: String, to exchange: LoopbackExchange) async throws {
        let bytes = beginningOfGzip(text)
        let isChunked = framing != "until the connection ends"
        var fields: LoopbackFields = ["Content-Type": "text/event-stream", "Content-Encoding": "gzip"]
        if isChunked { fields.append("Transfer-Encoding", "chunked") }
        try await exchange.send(head: 200, fields)
        if isChunked { try await exchange.sendChunk(bytes) } else { try await exchange.send(bytes) }
        if framing == "chunked and ended" { try await exchange.endChunks() } else { exchange.close() }
    }

    @Test(arguments: ["chunked and ended", "chunked", "until the connection ends"])
    func aTruncatedGzipStreamGivesItsBytesAndThenAnError(framing: String) async throws {
        let server = try await LoopbackServer { try await Self.sendCutGzip(framing, "data: a\n\ndata: b", to: $0) }
        let (events, error) = await elements(of: provider.events(of: AnyTarget(baseURL: server.url)))
        #expect(events.map(\.data) == ["a"])
        #expect(error?.wireKind == (framing == "chunked" ? .truncated : .contentDecoding))
    }

    @Test(arguments: ["chunked and ended", "chunked", "until the connection ends"])
    func aGzipStreamThatIsCutIsResumedAtItsLastId(framing: String) async throws {
        let count = Lock(0)
        let server = try await LoopbackServer { exchange in
            let number = count.withLock { count in
                count += 1
                return count
            }
            guard number < 3 else { return try await exchange.respond(204) }
            try await Self.sendCutGzip(framing, "id: \(number)\ndata: \(number)\n\ndata: cut", to: exchange)
        }
        let policy = Reconnection(attempts: 3, backoff: .none)
        let sequence = provider.events(of: AnyTarget(baseURL: server.url), reconnecting: policy)
        let (events, error) = await elements(of: sequence)
        #expect(events.map(\.data) == ["1", "2"])
        #expect(error == nil)
        #expect(server.requests.map { $0.fields["Last-Event-ID"] } == [nil, "1", "2"])
    }

    @Test func aServerThatSendsAnEventAndResetsGivesTheEventAndThenTheError() async throws {
        let isRead = Gate()
        let server = try await LoopbackServer { exchange in
            try await exchange.send(head: 200, Self.type)
            try await exchange.send("data: a\n\ndata: b")
            try await isRead.wait()
            exchange.reset()
        }
        var events = provider.events(of: AnyTarget(baseURL: server.url)).makeAsyncIterator()
        #expect(try await events.next()?.data == "a")
        isRead.open()
        let error = await #expect(throws: MoyaError.self) { _ = try await events.next() }
        #expect(error?.wireKind == .reset)
        #expect(error?.response?.statusCode == 200)
        #expect(try await events.next() == nil)
    }

    @Test func aHeadThatNeverComesEndsAReconnectionAtItsDeadline() async throws {
        let count = Lock(0)
        let server = try await LoopbackServer { exchange in
            let isFirst = count.withLock { count in
                count += 1
                return count == 1
            }
            guard isFirst else { return try await exchange.stallUntilClosed() }
            try await exchange.respond(200, Self.type, body: "id: 1\ndata: a\n\n")
        }
        let provider = MoyaProvider<AnyTarget>(
            session: Session(startRequestsImmediately: false, timeouts: Deadlines(attempt: .seconds(1))))
        let policy = Reconnection(attempts: 2, backoff: .none)
        let (events, error) = await elements(
            of: provider.events(of: AnyTarget(baseURL: server.url), reconnecting: policy))
        #expect(events.map(\.data) == ["a"])
        #expect(error?.isTimeout == true)
        // On a busy machine the deadline of an attempt may pass before the server has its request.
        #expect((2...3).contains(server.requestCount))
    }

    // MARK: Elements that cannot be decoded

    @Test func aLoopEndsAtAnEventThatCannotBeDecodedAndEndsTheExchange() async throws {
        let server = try await LoopbackServer { exchange in
            try await exchange.send(head: 200, Self.type)
            try await exchange.send("data: 1\n\ndata: two\n\ndata: 3\n\n")
            try await exchange.stallUntilClosed()
        }
        let (numbers, error) = await elements(of: provider.events(of: AnyTarget(baseURL: server.url), as: Int.self))
        #expect(numbers == [1])
        guard case .objectMapping(_, let response)? = error else {
            Issue.record("no objectMapping: \(String(describing: error))")
            return
        }
        #expect(response.data == Data("two".utf8))
        try await server.waitUntil { $0.handledCount == 1 }
    }

    // MARK: Sequences that are not read

    /// Says when it is released.
    private final class Sentinel: Sendable {
        private let gate: Gate
        init(_ gate: Gate) { self.gate = gate }
        deinit { gate.open() }
    }

    private func provider(opening gate: Gate) -> MoyaProvider<AnyTarget> {
        let sentinel = Sentinel(gate)
        let middleware = ClosureMiddleware { call, next throws(MoyaError) in
            withExtendedLifetime(sentinel) {}
            return try await next(call)
        }
        return MoyaProvider(middleware: [middleware])
    }

    @Test func aSequenceThatIsNotIteratedMakesNoCallAndIsReleased() async throws {
        let server = try await LoopbackServer { try await $0.respond() }
        let isReleased = Gate()
        do {
            let provider = provider(opening: isReleased)
            let sequence = provider.events(of: AnyTarget(baseURL: server.url), reconnecting: .default)
            let iterator = provider.lines(of: AnyTarget(baseURL: server.url)).makeAsyncIterator()
            withExtendedLifetime((sequence, iterator)) {}
        }
        try await isReleased.wait()
        #expect(server.requestCount == 0)
    }

    @Test func aStreamThatIsNotIteratedEndsAndIsReleasedWithItsValue() async throws {
        let server = try await LoopbackServer { exchange in
            try await exchange.send(head: 200, ["Transfer-Encoding": "chunked"])
            while true { try await exchange.sendChunk([UInt8](repeating: 0x61, count: 1 << 16)) }
        }
        let isReleased = Gate()
        do {
            let stream = try await provider(opening: isReleased).stream(AnyTarget(baseURL: server.url))
            #expect(stream.statusCode == 200)
        }
        try await isReleased.wait()
        try await server.waitUntil { $0.handledCount == 1 }
    }

    @Test func theBytesOfAResponseAreIteratedOnce() async throws {
        let server = try await LoopbackServer { try await $0.respond(body: "body") }
        let stream = try await provider.stream(AnyTarget(baseURL: server.url))
        let copy = stream
        #expect(await elements(of: stream.bytes).elements == [Data("body".utf8)])
        let (chunks, error) = await elements(of: copy.bytes)
        #expect(chunks.isEmpty)
        #expect(error?.streamError == .alreadyIterated)
    }
}
