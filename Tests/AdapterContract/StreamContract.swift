import Foundation
import Moya
import MoyaTesting
import MoyaTransport

/// The clauses of streamed responses over one adapter.
struct StreamContract<Adapter: StreamAdapter>: Sendable {
    let adapter: Adapter
    let live: LiveObjects

    /// A provider that is counted, and its requests with it.
    private func provider(
        stub: StubBehavior = .never, callbackQueue: DispatchQueue? = nil
    ) -> MoyaProvider<ContractTarget> {
        MoyaProvider(
            stubClosure: { _ in stub }, callbackQueue: callbackQueue ?? DispatchQueue(label: "provider"),
            session: live.session(), plugins: [live.pluginOfAProvider()])
    }

    private func sample(_ text: String) -> ContractTarget {
        var target = ContractTarget()
        target.sampleData = Data(text.utf8)
        return target
    }

    /// A server that sends a line and no end.
    private func endless() async throws -> LoopbackServer {
        try await LoopbackServer { exchange in
            try await exchange.send(head: 200, ["Transfer-Encoding": "chunked"])
            try await exchange.sendChunk("line\n")
            try await exchange.stallUntilClosed()
        }
    }

    // MARK: Elements

    func streamGivesTheHeadThenTheBytes() async throws {
        let server = try await LoopbackServer { try await $0.respond(201, body: "body") }
        let provider = provider()
        let parts = try await Watcher(
            adapter.stream(of: ContractTarget(server.url), from: provider, callbackQueue: nil)
        ).success()
        try require(parts.map { $0.head?.statusCode }, is: [201, nil], "heads")
        try require(parts.first?.head?.data.count, is: 0, "bytes of the head")
        try require(parts.compactMap(\.chunk), is: [Data("body".utf8)], "chunks")
    }

    func linesAreGiven() async throws {
        let provider = provider(stub: .immediate)
        let lines = adapter.lines(of: sample("a\nb\n"), from: provider, callbackQueue: nil)
        try require(try await Watcher(lines).success(), is: ["a", "b"], "lines")
    }

    func valuesAreDecoded() async throws {
        let provider = provider(stub: .immediate)
        let values = adapter.jsonLines(of: sample("1\n2\n"), from: provider)
        try require(try await Watcher(values).success(), is: [1, 2], "values")
    }

    func undecodableValueEndsTheStream() async throws {
        let provider = provider(stub: .immediate)
        let watcher = Watcher(adapter.jsonLines(of: sample("1\n\"x\"\n3\n"), from: provider))
        guard case .objectMapping(_, let response) = try await watcher.failure() else {
            throw Violation("told \(watcher.events)")
        }
        try require(response.text, is: "\"x\"", "the text of the value")
        try require(watcher.values, is: [1], "values")
    }

    func eventsAreGiven() async throws {
        let provider = provider(stub: .immediate)
        let events = adapter.events(
            of: sample("id: 7\nevent: added\ndata: a\n\n"), from: provider, reconnecting: nil)
        try require(
            try await Watcher(events).success(), is: [ServerSentEvent(id: "7", type: "added", data: "a")], "events")
    }

    func eventsGoOn() async throws {
        let server = try await LoopbackServer { exchange in
            let isFirst = exchange.request.fields["Last-Event-ID"] == nil
            guard isFirst || exchange.request.fields["Last-Event-ID"] == "1" else {
                return try await exchange.respond(204)
            }
            try await exchange.respond(
                200, ["Content-Type": "text/event-stream"], body: isFirst ? "id: 1\ndata: a\n\n" : "id: 2\ndata: b\n\n")
        }
        let provider = provider()
        let events = adapter.events(
            of: ContractTarget(server.url), from: provider, reconnecting: Reconnection(backoff: .none))
        try require(try await Watcher(events).success().map(\.data), is: ["a", "b"], "events")
    }

    func eventsAreDecoded() async throws {
        let provider = provider(stub: .immediate)
        let numbers = adapter.numbers(of: sample("data: 1\n\ndata: 2\n\ndata: end\n\ndata: 3\n\n"), from: provider)
        try require(try await Watcher(numbers).success(), is: [1, 2], "numbers")
    }

    func refusedStatusEndsTheStream() async throws {
        let server = try await LoopbackServer { try await $0.respond(503, body: "overloaded") }
        let provider = provider()
        let watcher = Watcher(adapter.lines(of: ContractTarget(server.url), from: provider, callbackQueue: nil))
        guard case .statusCode(let response) = try await watcher.failure() else {
            throw Violation("told \(watcher.events)")
        }
        try require(response.text, is: "overloaded", "the body in the error")
        try require(watcher.values, is: [], "lines")
    }

    // MARK: Calls

    func nothingHappensBeforeASubscription() async throws {
        let server = try await LoopbackServer { try await $0.respond(body: "a\n") }
        let provider = provider()
        let lines = adapter.lines(of: ContractTarget(server.url), from: provider, callbackQueue: nil)
        try require(server.requestCount, is: 0, "requests before the subscription")
        _ = try await Watcher(lines).success()
        try require(server.requestCount, is: 1, "requests after the subscription")
    }

    func eachSubscriptionMakesACallOfItsOwn() async throws {
        let server = try await LoopbackServer { try await $0.respond(body: "a\n") }
        let provider = provider()
        let lines = adapter.lines(of: ContractTarget(server.url), from: provider, callbackQueue: nil)
        let watchers = (0..<3).map { _ in Watcher(lines) }
        for watcher in watchers { try require(try await watcher.success(), is: ["a"], "lines") }
        try require(server.requestCount, is: 3, "requests")
    }

    func queues(call hasQueue: Bool) async throws {
        let (ofCall, ofProvider) = (MarkedQueue("of the call"), MarkedQueue("of the provider"))
        let provider = provider(stub: .immediate, callbackQueue: ofProvider.queue)
        let places = Lock<Set<String>>([])
        let lines = adapter.lines(of: sample("a\nb\n"), from: provider, callbackQueue: hasQueue ? ofCall.queue : nil)
        _ = try await Watcher(lines) { _, _ in places.withLock { _ = $0.insert(MarkedQueue.currentName) } }.success()
        try require(places.withLock { $0 }, is: [hasQueue ? ofCall.name : ofProvider.name], "queues")
    }

    /// A subscriber that does not return from its first value.
    func slowSubscriberHoldsTheServerBack() async throws {
        let (piece, count) = (1 << 18, 400)
        let sent = Lock(0)
        let server = try await LoopbackServer { exchange in
            if exchange.request.path == "/other" { return try await exchange.respond() }
            try await exchange.send(head: 200, ["Content-Length": "\(piece * count)"])
            for _ in 0..<count {
                try await exchange.send([UInt8](repeating: 0x61, count: piece))
                sent.add(1)
            }
        }
        let provider = provider()
        let held = DispatchSemaphore(value: 0)
        let stream = adapter.stream(of: ContractTarget(server.url), from: provider, callbackQueue: nil)
        let watcher = Watcher(stream) { _, event in
            if case .value(.head) = event { held.wait() }
        }
        try await watcher.until { !$0.values.isEmpty }
        var before = -1
        while before != sent.value || before == 0 {
            before = sent.value
            for _ in 0..<50 {
                let other = ContractTarget(server.url, path: "other")
                _ = try? await MoyaProvider<ContractTarget>().request(other)
            }
        }
        let isHeld = before < count / 4
        held.signal()
        let bytes = try await watcher.success().compactMap { $0.chunk?.count }.reduce(0, +)
        try require(isHeld, is: true, "held back, rather than after \(before) of \(count) pieces")
        try require(bytes, is: piece * count, "bytes")
    }

    // MARK: Disposal

    func disposalEndsTheExchange() async throws {
        let server = try await endless()
        let provider = provider()
        let watcher = Watcher(adapter.lines(of: ContractTarget(server.url), from: provider, callbackQueue: nil))
        try await watcher.until { !$0.values.isEmpty }
        watcher.dispose()
        watcher.dispose()
        try await server.waitUntil { $0.openConnectionCount == 0 }
        try require(watcher.isFinished || watcher.error != nil, is: false, "an end of the stream")
        withExtendedLifetime(provider) {}
    }

    func disposalInsideAnElement() async throws {
        let server = try await endless()
        let provider = provider()
        let lines = adapter.lines(of: ContractTarget(server.url), from: provider, callbackQueue: nil)
        let watcher = Watcher(lines) { watcher, event in
            if case .value = event { watcher.dispose() }
        }
        try await watcher.until { !$0.values.isEmpty }
        try await server.waitUntil { $0.openConnectionCount == 0 }
        try require(watcher.values, is: ["line"], "lines")
        withExtendedLifetime(provider) {}
    }

    // MARK: Providers

    func providerGoneBeforeTheSubscription() throws {
        // The provider is in here alone.
        func stream() -> (AnyStream<String>, isAlive: () -> Bool) {
            let provider = provider(stub: .immediate)
            let lines = adapter.lines(of: sample("a\n"), from: provider, callbackQueue: nil)
            return (lines, { [weak provider] in provider != nil })
        }
        let (lines, isAlive) = stream()
        try require(isAlive(), is: false, "a provider kept by its stream")
        let watcher = Watcher(lines)
        try require(watcher.events.count, is: 0, "events")
        watcher.dispose()
    }

    func providerReleased(hasHead: Bool) async throws {
        let gate = Gate()
        let server = try await LoopbackServer { exchange in
            if !hasHead { try await gate.wait() }
            try await exchange.send(head: 200, ["Content-Length": "4"])
            try await exchange.send("a\n")
            if hasHead { try await gate.wait() }
            try await exchange.send("b\n")
        }
        var made: MoyaProvider<ContractTarget>? = provider()
        let watcher = made.map {
            Watcher(adapter.lines(of: ContractTarget(server.url), from: $0, callbackQueue: nil))
        }
        try await gate.waitForArrivals(1)
        if hasHead { try await watcher?.until { !$0.values.isEmpty } }
        made = nil
        gate.open()
        try require(try await watcher?.success(), is: ["a", "b"], "lines")
    }
}
