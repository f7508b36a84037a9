import Foundation
import Moya
import MoyaTesting
import MoyaTransport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct StreamingTests {
    private let provider = MoyaProvider<AnyTarget>()

    private func text(_ stream: StreamedResponse) async throws -> String {
        var data = Data()
        for try await chunk in stream.bytes { data += chunk }
        return String(decoding: data, as: UTF8.self)
    }

    // MARK: The head and the body

    @Test func returnsOnceTheHeadHasArrived() async throws {
        let gate = Gate()
        let server = try await LoopbackServer { exchange in
            try await exchange.send(head: 203, ["Content-Length": "4", "X-Kind": "export"])
            try await gate.wait()
            try await exchange.send("body")
        }
        let stream = try await provider.stream(AnyTarget(baseURL: server.url))
        #expect(stream.statusCode == 203)
        #expect(stream.headers["X-Kind"] == "export")
        #expect(stream.request?.url == server.url)
        gate.open()
        #expect(try await text(stream) == "body")
    }

    @Test func yieldsEachChunkAsItComes() async throws {
        let gate = Gate()
        let server = try await LoopbackServer { exchange in
            try await exchange.send(head: 200, ["Transfer-Encoding": "chunked"])
            for text in ["one", "two", "three"] {
                try await exchange.sendChunk(text)
                try await gate.wait()
            }
            try await exchange.endChunks()
        }
        var chunks: [String] = []
        for try await chunk in try await provider.stream(AnyTarget(baseURL: server.url)).bytes {
            chunks.append(String(decoding: chunk, as: UTF8.self))
            gate.open(times: 1)
        }
        #expect(chunks == ["one", "two", "three"])
    }

    @Test func aResponseOfNoBytesHasNoChunks() async throws {
        let server = try await LoopbackServer { try await $0.respond(204) }
        #expect(try await text(provider.stream(AnyTarget(baseURL: server.url))) == "")
    }

    @Test func hasNoLimitOfAResponseInMemory() async throws {
        let server = try await LoopbackServer { try await $0.respond(body: "more than four bytes") }
        let session = Session(startRequestsImmediately: false, maximumResponseBytes: 4)
        let provider = MoyaProvider<AnyTarget>(session: session)
        #expect(try await text(provider.stream(AnyTarget(baseURL: server.url))) == "more than four bytes")
    }

    @Test func outlivesItsProvider() async throws {
        let gate = Gate()
        let server = try await LoopbackServer { exchange in
            try await exchange.send(head: 200, ["Content-Length": "4"])
            try await gate.wait()
            try await exchange.send("body")
        }
        let stream = try await MoyaProvider<AnyTarget>().stream(AnyTarget(baseURL: server.url))
        gate.open()
        #expect(try await text(stream) == "body")
    }

    @Test func streamsTheResponseToAnUpload() async throws {
        let server = try await LoopbackServer { exchange in
            let body = try await exchange.body()
            try await exchange.respond(200, body: body)
        }
        let target = AnyTarget(
            baseURL: server.url, method: .post,
            task: .uploadMultipart([MultipartFormData(provider: .data(Data("part".utf8)), name: "a")]))
        #expect(try await text(provider.stream(target)).contains("part"))
    }

    @Test func followsARedirect() async throws {
        let server = try await LoopbackServer { exchange in
            if exchange.request.path == "/there" { return try await exchange.respond(body: "a\nb\n") }
            try await exchange.respond(302, ["Location": "/there"], body: "not this")
        }
        var lines: [String] = []
        for try await line in provider.lines(of: AnyTarget(baseURL: server.url)) { lines.append(line) }
        #expect(lines == ["a", "b"])
    }

    @Test func decodesJSONLines() async throws {
        struct Row: Decodable, Sendable, Equatable { var id: Int }
        let server = try await LoopbackServer { exchange in
            try await exchange.respond(
                200, ["Content-Type": "application/x-ndjson"],
                body: "{\"id\":1}\n{\"id\":\"x\"}\n{\"id\":3}\n{\"id\":\"\u{FFFD}")
        }
        var rows = provider.jsonLines(of: AnyTarget(baseURL: server.url), as: Row.self).makeAsyncIterator()
        #expect(try await rows.next() == Row(id: 1))
        let error = await #expect(throws: MoyaError.self) { _ = try await rows.next() }
        guard case .objectMapping(_, let response)? = error else {
            Issue.record("no objectMapping: \(String(describing: error))")
            return
        }
        #expect(response.data == Data("{\"id\":\"x\"}".utf8))
        #expect(try await rows.next() == Row(id: 3))
        await #expect(throws: MoyaError.self) { _ = try await rows.next() }
        #expect(try await rows.next() == nil)
    }

    @Test func refusesJSONThatIsNotUTF8() async throws {
        let body = Data("\"a".utf8) + [0xFF] + Data("\"\n".utf8)
        let server = try await LoopbackServer { try await $0.respond(200, body: body) }
        var texts = provider.jsonLines(of: AnyTarget(baseURL: server.url), as: String.self).makeAsyncIterator()
        await #expect(throws: MoyaError.self) { _ = try await texts.next() }
    }

    @Test func refusesALineBeyondTheBoundAndEndsTheExchange() async throws {
        let server = try await LoopbackServer { exchange in
            try await exchange.send(head: 200, ["Content-Length": "1000000"])
            try await exchange.send("ok\n" + String(repeating: "x", count: 200))
            try await exchange.stallUntilClosed()
        }
        var lines = provider.lines(of: AnyTarget(baseURL: server.url), maximumLineLength: 100).makeAsyncIterator()
        #expect(try await lines.next() == "ok")
        let error = await #expect(throws: MoyaError.self) { _ = try await lines.next() }
        #expect(error?.streamError == .elementTooLong(limit: 100))
        try await server.waitUntil { $0.handledCount == 1 }
        #expect(try await lines.next() == nil)
    }

    // MARK: Ends

    private func endless() async throws -> LoopbackServer {
        try await LoopbackServer { exchange in
            try await exchange.send(head: 200, ["Transfer-Encoding": "chunked"])
            try await exchange.sendChunk("line\n")
            try await exchange.stallUntilClosed()
        }
    }

    @Test func leavingTheLoopEndsTheExchange() async throws {
        let server = try await endless()
        let lines = provider.lines(of: AnyTarget(baseURL: server.url))
        for try await line in lines {
            #expect(line == "line")
            break
        }
        try await server.waitUntil { $0.handledCount == 1 }
        withExtendedLifetime(lines) {}
    }

    @Test func releasingAStreamThatIsNotReadEndsTheExchange() async throws {
        let server = try await endless()
        _ = try await provider.stream(AnyTarget(baseURL: server.url)).statusCode
        try await server.waitUntil { $0.handledCount == 1 }
    }

    @Test func cancellingTheTaskEndsTheExchange() async throws {
        let server = try await endless()
        let arrived = Gate()
        let task = _Concurrency.Task { [provider] in
            for try await _ in provider.lines(of: AnyTarget(baseURL: server.url)) { try await arrived.wait() }
        }
        try await arrived.waitForArrivals(1)
        arrived.open()
        task.cancel()
        let error = await #expect(throws: (any Error).self) { try await task.value }
        #expect(error is CancellationError || (error as? MoyaError)?.isCancellation == true)
        try await server.waitUntil { $0.handledCount == 1 }
    }

    @Test func cancelledTaskGetsNoFurtherLineOfAChunkThatHasArrived() async {
        let lines = MoyaProvider<API>(stubClosure: MoyaProvider.immediatelyStub)
            .lines(of: API(sampleData: Data("a\nb\nc\n".utf8)))
        let task = _Concurrency.Task {
            var found: [String] = []
            do {
                for try await line in lines {
                    found.append(line)
                    withUnsafeCurrentTask { $0?.cancel() }
                }
            } catch {
                found.append("\((error as? MoyaError)?.isCancellation == true)")
            }
            return found
        }
        #expect(await task.value == ["a", "true"])
    }

    @Test func cancelledTaskGetsNoFurtherEventOfAChunkThatHasArrived() async {
        let events = MoyaProvider<API>(stubClosure: MoyaProvider.immediatelyStub)
            .events(of: API(sampleData: Data("data: a\n\ndata: b\n\n".utf8)))
        let task = _Concurrency.Task {
            var found: [String] = []
            do {
                for try await event in events {
                    found.append(event.data)
                    withUnsafeCurrentTask { $0?.cancel() }
                }
            } catch {
                found.append("\((error as? MoyaError)?.isCancellation == true)")
            }
            return found
        }
        #expect(await task.value == ["a", "true"])
    }

    @Test func cancellingATaskThatWaitsForTheHeadEndsTheCall() async throws {
        let server = try await LoopbackServer { try await $0.stallUntilClosed() }
        let task = _Concurrency.Task { [provider] in
            try await provider.stream(AnyTarget(baseURL: server.url)).statusCode
        }
        try await server.waitUntil { $0.requestCount == 1 }
        task.cancel()
        #expect(await #expect(throws: MoyaError.self) { try await task.value }?.isCancellation == true)
        try await server.waitUntil { $0.handledCount == 1 }
    }

    @Test func cancellingTheSessionsRequestsEndsTheStream() async throws {
        let server = try await endless()
        var lines = provider.lines(of: AnyTarget(baseURL: server.url)).makeAsyncIterator()
        #expect(try await lines.next() == "line")
        provider.session.cancelAllRequests()
        #expect(await #expect(throws: MoyaError.self) { _ = try await lines.next() }?.isCancellation == true)
        #expect(try await lines.next() == nil)
    }

    @Test func refusesASecondIteration() async throws {
        let provider = MoyaProvider<API>(stubClosure: MoyaProvider.immediatelyStub)
        let lines = provider.lines(of: API(sampleData: Data("a\nb".utf8)))
        var (first, second) = (lines.makeAsyncIterator(), lines.makeAsyncIterator())
        #expect(try await first.next() == "a")
        let error = await #expect(throws: MoyaError.self) { _ = try await second.next() }
        #expect(error?.streamError == .alreadyIterated)
        #expect(try await second.next() == nil)
        #expect(try await first.next() == "b")
    }

    @Test func aTruncatedBodyGivesItsBytesAndThenTheError() async throws {
        let server = try await LoopbackServer { exchange in
            try await exchange.send(head: 200, ["Content-Length": "100"])
            try await exchange.send("one\ntwo\nthr")
            exchange.close()
        }
        var lines = provider.lines(of: AnyTarget(baseURL: server.url)).makeAsyncIterator()
        #expect(try await lines.next() == "one")
        #expect(try await lines.next() == "two")
        let error = await #expect(throws: MoyaError.self) { _ = try await lines.next() }
        #expect(error?.wireKind == .truncated)
        #expect(error?.response?.statusCode == 200)
        #expect(try await lines.next() == nil)
    }

    // MARK: Back-pressure

    @Test func aWaitingReaderSlowsTheServerDown() async throws {
        let (piece, count) = (1 << 18, 400)
        let sent = Lock(0)
        let server = try await LoopbackServer { exchange in
            if exchange.request.path == "/other" { return try await exchange.respond() }
            try await exchange.send(head: 200, ["Content-Length": "\(piece * count)"])
            for _ in 0..<count {
                try await exchange.send([UInt8](repeating: 0x61, count: piece))
                sent.withLock { $0 += 1 }
            }
        }
        let stream = try await provider.stream(AnyTarget(baseURL: server.url))
        var before = -1
        while before != sent.withLock({ $0 }) {
            before = sent.withLock { $0 }
            for _ in 0..<50 { _ = try await provider.request(AnyTarget(baseURL: server.url, path: "/other")) }
        }
        #expect(before < count / 4, "\(before) of \(count) pieces were sent to a reader that reads nothing")
        var length = 0
        for try await chunk in stream.bytes { length += chunk.count }
        #expect(length == piece * count)
    }
}

extension MoyaError {
    /// The stream's own error inside.
    var streamError: ResponseStreamError? {
        if case .underlying(let error, _) = self { error as? ResponseStreamError } else { nil }
    }

    /// `true` if the call was cancelled.
    var isCancellation: Bool { sessionError?.isExplicitlyCancelledError == true }
}
