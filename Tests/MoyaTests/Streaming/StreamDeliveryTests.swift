import Foundation
import MoyaTesting
import MoyaTransport
import Testing

@testable import Moya

/// Streams with closures instead of a loop.
@Suite struct StreamDeliveryTests {
    private let provider = MoyaProvider<AnyTarget>()
    private let queue = DispatchQueue(label: "stream delivery")

    /// A server that sends a line and no end.
    private func endless() async throws -> LoopbackServer {
        try await LoopbackServer { exchange in
            try await exchange.send(head: 200, ["Transfer-Encoding": "chunked"])
            try await exchange.sendChunk("line\n")
            try await exchange.stallUntilClosed()
        }
    }

    // MARK: The head, the elements and the end

    @Test func givesTheHeadThenTheChunksThenTheEnd() async throws {
        let server = try await LoopbackServer { try await $0.respond(201, body: "body") }
        let told = Recorder<String>()
        let end = Promise<Result<Void, MoyaError>>()
        provider.streamRequest(AnyTarget(baseURL: server.url), callbackQueue: queue) { head in
            told.append("\(head.statusCode), \(head.data.count) bytes")
        } chunk: { chunk in
            told.append(String(decoding: chunk, as: UTF8.self))
        } completion: { result in
            told.append("end")
            end.fulfill(result)
        }
        try await end.value.get()
        #expect(told.values == ["201, 0 bytes", "body", "end"])
    }

    @Test func givesNoHeadToACallThatFails() async throws {
        let server = try await LoopbackServer { try await $0.respond(500, body: "sorry") }
        let heads = Recorder<Int>()
        let end = Promise<Result<Void, MoyaError>>()
        provider.streamRequest(AnyTarget(baseURL: server.url), callbackQueue: queue) { head in
            heads.append(head.statusCode)
        } chunk: { _ in
        } completion: {
            end.fulfill($0)
        }
        #expect(try await end.value.error?.response?.data == Data("sorry".utf8))
        #expect(heads.values == [])
    }

    /// Has no elements, and tells when its end was read.
    private final class EmptyReader: StreamReader {
        private let isOver: Promise<Void>

        init(isOver: Promise<Void>) { self.isOver = isOver }

        deinit { isOver.fulfill(()) }

        func next(isolation: isolated (any Actor)?) async throws(MoyaError) -> Int? { nil }
    }

    @Test func isCancelledWhileItsEndWaitsForTheQueue() async throws {
        let (isOver, end) = (Promise<Void>(), Promise<Result<Void, MoyaError>>())
        let delivery = StreamDelivery()
        queue.suspend()
        delivery.start(
            { EmptyReader(isOver: isOver) }, of: nil,
            for: StreamDelivery.Receiver(queue: queue, receive: { (_: Int) in }, finish: { end.fulfill($0) }))
        try await isOver.value
        delivery.cancel()
        queue.resume()
        #expect(try await end.value.isCancelled)
    }

    @Test func givesTheChunksOfASample() async throws {
        let provider = MoyaProvider<API>(stubClosure: MoyaProvider.immediatelyStub)
        let chunks = Recorder<Data>()
        let end = Promise<Result<Void, MoyaError>>()
        provider.streamRequest(API(sampleData: Data("sample".utf8)), callbackQueue: queue) {
            chunks.append($0)
        } completion: {
            end.fulfill($0)
        }
        try await end.value.get()
        #expect(chunks.values == [Data("sample".utf8)])
    }

    @Test func givesEachElementOfASequence() async throws {
        let provider = MoyaProvider<API>(stubClosure: MoyaProvider.immediatelyStub)
        let lines = Recorder<String>()
        let end = Promise<Result<Void, MoyaError>>()
        provider.lines(of: API(sampleData: Data("a\nb\n".utf8))).forEach(on: queue) {
            lines.append($0)
        } completion: {
            end.fulfill($0)
        }
        try await end.value.get()
        #expect(lines.values == ["a", "b"])
    }

    @Test func endsWithTheErrorOfAnElement() async throws {
        let provider = MoyaProvider<API>(stubClosure: MoyaProvider.immediatelyStub)
        let end = Promise<Result<Void, MoyaError>>()
        provider.jsonLines(of: API(sampleData: Data("1\n\"x\"\n3\n".utf8)), as: Int.self).forEach(on: queue) { _ in
        } completion: {
            end.fulfill($0)
        }
        guard case .objectMapping(_, let response)? = try await end.value.error else {
            Issue.record("no objectMapping")
            return
        }
        #expect(response.data == Data("\"x\"".utf8))
    }

    @Test func refusesASequenceThatWasIterated() async throws {
        let provider = MoyaProvider<API>(stubClosure: MoyaProvider.immediatelyStub)
        let lines = provider.lines(of: API())
        for try await _ in lines {}
        let end = Promise<Result<Void, MoyaError>>()
        lines.forEach(on: queue) { _ in
        } completion: {
            end.fulfill($0)
        }
        #expect(try await end.value.error?.streamError == .alreadyIterated)
    }

    // MARK: Queues and back-pressure

    @Test(arguments: [true, false]) func callsOnTheQueueOfTheCallElseOfTheProvider(hasQueue: Bool) async throws {
        let (ofCall, ofProvider) = (MarkedQueue("call"), MarkedQueue("provider"))
        let provider = MoyaProvider<API>(stubClosure: MoyaProvider.immediatelyStub, callbackQueue: ofProvider.queue)
        let expected = hasQueue ? ofCall : ofProvider
        let places = Recorder<Bool>()
        let end = Promise<Void>()
        provider.streamRequest(API(), callbackQueue: hasQueue ? ofCall.queue : nil) { _ in
            places.append(expected.isCurrent)
        } chunk: { _ in
            places.append(expected.isCurrent)
        } completion: { _ in
            places.append(expected.isCurrent)
            end.fulfill(())
        }
        try await end.value
        #expect(places.values == [true, true, true])
    }

    @Test(arguments: [true, false])
    func givesTheBytesOfAResponseOnTheQueueOfTheCallElseOfTheProvider(hasQueue: Bool) async throws {
        let (ofCall, ofProvider) = (MarkedQueue("call"), MarkedQueue("provider"))
        let provider = MoyaProvider<API>(stubClosure: MoyaProvider.immediatelyStub, callbackQueue: ofProvider.queue)
        let expected = hasQueue ? ofCall : ofProvider
        let places = Recorder<Bool>()
        let end = Promise<Void>()
        try await provider.stream(API(sampleData: Data("a".utf8))).bytes.forEach(on: hasQueue ? ofCall.queue : nil) {
            _ in
            places.append(expected.isCurrent)
        } completion: { _ in
            places.append(expected.isCurrent)
            end.fulfill(())
        }
        try await end.value
        #expect(places.values == [true, true])
    }

    @Test func readsTheNextElementWhenTheClosureHasReturned() async throws {
        let log = Recorder<String>()
        let end = Promise<Result<Void, MoyaError>>()
        ResponseSequence { NumberReader(log: log) }.forEach(on: queue) { number in
            log.append("given \(number)")
        } completion: {
            end.fulfill($0)
        }
        try await end.value.get()
        #expect(log.values == (0..<100).flatMap { ["read \($0)", "given \($0)"] })
    }

    @Test func aSlowClosureSlowsTheServerDown() async throws {
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
        let length = Lock(0)
        let end = Promise<Result<Void, MoyaError>>()
        let isResumed = Lock(false)
        queue.suspend()
        // A suspended queue may not be released.
        defer { if !isResumed.exchange(true) { queue.resume() } }
        provider.streamRequest(AnyTarget(baseURL: server.url), callbackQueue: queue) { chunk in
            length.withLock { $0 += chunk.count }
        } completion: {
            end.fulfill($0)
        }
        var before = -1
        while before != sent.withLock({ $0 }) || before == 0 {
            before = sent.withLock { $0 }
            for _ in 0..<50 { _ = try await provider.request(AnyTarget(baseURL: server.url, path: "/other")) }
        }
        #expect(before < count / 4, "\(before) of \(count) pieces were sent to a closure that has not returned")
        if !isResumed.exchange(true) { queue.resume() }
        try await end.value.get()
        #expect(length.value == piece * count)
    }

    // MARK: Cancellation and release

    @Test func cancellingEndsTheExchangeAndTheCall() async throws {
        let server = try await endless()
        let arrived = Promise<Void>()
        let end = Promise<Result<Void, MoyaError>>()
        let call = provider.lines(of: AnyTarget(baseURL: server.url)).forEach(on: queue) { _ in
            arrived.fulfill(())
        } completion: {
            end.fulfill($0)
        }
        try await arrived.value
        call.cancel()
        #expect(call.isCancelled)
        #expect(try await end.value.isCancelled)
        try await server.waitUntil { $0.handledCount == 1 }
    }

    @Test func givesNoElementAfterACancellation() async throws {
        let provider = MoyaProvider<API>(stubClosure: MoyaProvider.immediatelyStub)
        let lines = Recorder<String>()
        let end = Promise<Result<Void, MoyaError>>()
        queue.suspend()
        let call = provider.lines(of: API(sampleData: Data("a\nb\n".utf8))).forEach(on: queue) {
            lines.append($0)
        } completion: {
            end.fulfill($0)
        }
        call.cancel()
        queue.resume()
        #expect(try await end.value.isCancelled)
        #expect(lines.values == [])
    }

    @Test func aStreamDeliveredToAClosureKeepsItsProvider() async throws {
        let gate = Gate()
        let server = try await LoopbackServer { exchange in
            try await gate.wait()
            try await exchange.respond(body: "a\n")
        }
        let lines = Recorder<String>()
        let end = Promise<Result<Void, MoyaError>>()
        MoyaProvider<AnyTarget>().lines(of: AnyTarget(baseURL: server.url)).forEach(on: queue) {
            lines.append($0)
        } completion: {
            end.fulfill($0)
        }
        gate.open()
        _ = try await end.value.get()
        #expect(lines.values == ["a"])
    }

    @Test func aLoopKeepsItsProvider() async throws {
        let gate = Gate()
        let server = try await LoopbackServer { exchange in
            try await gate.wait()
            try await exchange.respond(body: "a\n")
        }
        var lines = MoyaProvider<AnyTarget>().lines(of: AnyTarget(baseURL: server.url)).makeAsyncIterator()
        gate.open()
        #expect(try await lines.next() == "a")
    }
}

/// A reader of a hundred numbers that records each reading.
private final class NumberReader: StreamReader {
    private let log: Recorder<String>
    private var number = 0

    init(log: Recorder<String>) { self.log = log }

    func next(isolation: isolated (any Actor)?) async throws(MoyaError) -> Int? {
        guard number < 100 else { return nil }
        defer { number += 1 }
        log.append("read \(number)")
        return number
    }
}

extension Result<Void, MoyaError> {
    fileprivate var error: MoyaError? { if case .failure(let error) = self { error } else { nil } }

    fileprivate var isCancelled: Bool { error?.isCancellation ?? false }
}
