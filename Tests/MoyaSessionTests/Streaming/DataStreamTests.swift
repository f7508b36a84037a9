import Foundation
import MoyaTesting
import MoyaTransport
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct DataStreamTests {
    private let session = Session()

    private func text(_ stream: DataStream) async throws -> String {
        var data = Data()
        for try await chunk in stream { data += chunk }
        return String(decoding: data, as: UTF8.self)
    }

    /// A server that sends a piece and no end.
    private func endless() async throws -> LoopbackServer {
        try await LoopbackServer { exchange in
            try await exchange.send(head: 200, ["Transfer-Encoding": "chunked"])
            try await exchange.sendChunk("piece")
            try await exchange.stallUntilClosed()
        }
    }

    @Test func returnsOnceTheHeadHasArrived() async throws {
        let gate = Gate()
        let server = try await LoopbackServer { exchange in
            try await exchange.send(head: 203, ["Content-Length": "4", "X-Kind": "export"])
            try await gate.wait()
            try await exchange.send("body")
        }
        let stream = try await session.request(server.url).stream()
        #expect(stream.statusCode == 203)
        #expect(stream.headers["X-Kind"] == "export")
        #expect(stream.request?.url == server.url)
        gate.open()
        #expect(try await text(stream) == "body")
    }

    @Test func outlivesItsSession() async throws {
        let gate = Gate()
        let server = try await LoopbackServer { exchange in
            try await exchange.send(head: 200, ["Content-Length": "4"])
            try await gate.wait()
            try await exchange.send("body")
        }
        func streamOfAnotherSession() async throws -> DataStream {
            let session = Session()
            return try await session.request(server.url).stream()
        }
        let stream = try await streamOfAnotherSession()
        gate.open()
        #expect(try await text(stream) == "body")
    }

    @Test func streamsTheResponseToAnUpload() async throws {
        let server = try await LoopbackServer { exchange in
            let body = try await exchange.body()
            try await exchange.respond(200, body: body)
        }
        #expect(try await text(session.upload(Data("sent".utf8), to: server.url).stream()) == "sent")
    }

    @Test func hasNoLimitOfAResponseInMemory() async throws {
        let server = try await LoopbackServer { try await $0.respond(body: "more than four bytes") }
        let session = Session(maximumResponseBytes: 4)
        #expect(try await text(session.request(server.url).stream()) == "more than four bytes")
    }

    @Test func refusesAHeadThatStatesMoreThanItsOwnLimit() async throws {
        let server = try await LoopbackServer { try await $0.respond(body: "more than four bytes") }
        let request = session.request(server.url).maximumResponseBytes(4)
        let error = await #expect(throws: SessionError.self) { _ = try await request.stream() }
        guard case .responseTooLarge(4)? = error else {
            Issue.record("\(error as Any)")
            return
        }
    }

    // MARK: Validation and retries

    @Test func refusesAStatusOutsideTheRange() async throws {
        let server = try await LoopbackServer { try await $0.respond(503, body: "overloaded") }
        let request = session.request(server.url)
        let error = await #expect(throws: SessionError.self) { _ = try await request.stream() }
        #expect(error?.responseCode == 503)
        #expect(request.data == Data("overloaded".utf8))
    }

    @Test func aValidatorJudgesTheHead() async throws {
        let server = try await LoopbackServer { try await $0.respond(404, body: "missing") }
        let stream = try await session.request(server.url).validate(statusCode: [404]).stream()
        #expect(try await text(stream) == "missing")
    }

    @Test func refusesAnotherContentType() async throws {
        let server = try await LoopbackServer { exchange in
            try await exchange.respond(200, ["Content-Type": "text/html"], body: "<html>")
        }
        let request = session.request(server.url).validate(contentType: ["application/json"])
        let error = await #expect(throws: SessionError.self) { _ = try await request.stream() }
        #expect(error?.responseContentType == "text/html")
    }

    @Test func aRetrierRetriesBeforeTheHead() async throws {
        let count = Lock(0)
        let server = try await LoopbackServer { exchange in
            let number = count.withLock { count in
                count += 1
                return count
            }
            try await exchange.respond(number < 3 ? 503 : 200, body: "\(number)")
        }
        let retrier = Retrier { _, _, _, completion in completion(.retry) }
        let request = session.request(server.url, interceptor: Interceptor(adapters: [], retriers: [retrier]))
        #expect(try await text(request.validate().stream()) == "3")
    }

    // MARK: Ends

    @Test func aTruncatedBodyGivesItsBytesAndThenTheError() async throws {
        let server = try await LoopbackServer { exchange in
            try await exchange.send(head: 200, ["Content-Length": "100"])
            try await exchange.send("some")
            exchange.close()
        }
        var chunks = try await session.request(server.url).stream().makeAsyncIterator()
        #expect(try await chunks.next() == Data("some".utf8))
        let error = await #expect(throws: SessionError.self) { _ = try await chunks.next() }
        #expect(error?.transportFailure?.kind == .truncated)
        #expect(try await chunks.next() == nil)
    }

    @Test func aServerThatIsNotThereIsAnError() async throws {
        let error = await #expect(throws: SessionError.self) {
            _ = try await session.request("http://127.0.0.1:1").stream()
        }
        #expect(error?.isSessionTaskError == true)
    }

    @Test func leavingTheLoopEndsTheRequest() async throws {
        let server = try await endless()
        let stream = try await session.request(server.url).stream()
        for try await chunk in stream {
            #expect(chunk == Data("piece".utf8))
            break
        }
        try await server.waitUntil { $0.handledCount == 1 }
        withExtendedLifetime(stream) {}
    }

    @Test func releasingAStreamThatIsNotReadEndsTheRequest() async throws {
        let server = try await endless()
        _ = try await session.request(server.url).stream().statusCode
        try await server.waitUntil { $0.handledCount == 1 }
    }

    @Test func cancellingATaskThatWaitsForTheHeadEndsTheRequest() async throws {
        let server = try await LoopbackServer { try await $0.stallUntilClosed() }
        let task = Task { [session] in try await session.request(server.url).stream().statusCode }
        try await server.waitUntil { $0.requestCount == 1 }
        task.cancel()
        let error = await #expect(throws: SessionError.self) { _ = try await task.value }
        #expect(error?.isExplicitlyCancelledError == true)
        try await server.waitUntil { $0.handledCount == 1 }
    }

    @Test func aTaskThatWasCancelledSendsNothing() async throws {
        let server = try await LoopbackServer { try await $0.respond() }
        let task = Task { [session] in
            withUnsafeCurrentTask { $0?.cancel() }
            return try await session.request(server.url).stream().statusCode
        }
        let error = await #expect(throws: SessionError.self) { _ = try await task.value }
        #expect(error?.isExplicitlyCancelledError == true)
        #expect(server.requestCount == 0)
    }

    @Test func aCancelledTaskReceivesNoBytesOfARequestThatIsOver() async throws {
        let server = try await LoopbackServer { try await $0.respond(body: "body") }
        let request = session.request(server.url)
        let stream = try await request.stream()
        _ = await request.outcome()
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await text(stream)
        }
        let error = await #expect(throws: SessionError.self) { _ = try await task.value }
        #expect(error?.isExplicitlyCancelledError == true)
    }

    @Test func cancellingTheRequestEndsTheStream() async throws {
        let server = try await endless()
        let request = session.request(server.url)
        var chunks = try await request.stream().makeAsyncIterator()
        #expect(try await chunks.next() == Data("piece".utf8))
        request.cancel()
        let error = await #expect(throws: SessionError.self) { _ = try await chunks.next() }
        #expect(error?.isExplicitlyCancelledError == true)
        #expect(try await chunks.next() == nil)
    }

    // MARK: Misuse

    @Test func refusesASecondIteration() async throws {
        let server = try await LoopbackServer { try await $0.respond(body: "body") }
        let stream = try await session.request(server.url).stream()
        var (first, second) = (stream.makeAsyncIterator(), stream.makeAsyncIterator())
        let error = await #expect(throws: SessionError.self) { _ = try await second.next() }
        #expect(error?.underlyingError as? DataStreamError == .alreadyIterated)
        #expect(try await second.next() == nil)
        #expect(try await first.next() == Data("body".utf8))
    }

    @Test func refusesARequestThatWasStarted() async throws {
        let server = try await LoopbackServer { try await $0.respond(body: "body") }
        let session = Session(startRequestsImmediately: false)
        let request = session.request(server.url).resume()
        let error = await #expect(throws: SessionError.self) { _ = try await request.stream() }
        #expect(error?.underlyingError as? DataStreamError == .alreadyStarted)
    }
}
