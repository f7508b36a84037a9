import Foundation
import MoyaTransport
import Testing

@testable import MoyaSession

/// The stage by itself: redirects over any transport, without a delegate.
@Suite struct FollowUpsTests {
    private let wire = SteppedTransport()
    private let sink = EventNames()

    private func start(_ request: HTTPRequest) -> any TransportExchange {
        FollowUps(inner: wire).start(request, delivering: sink)
    }

    private func get(_ url: String = "http://a.example/") -> HTTPRequest {
        HTTPRequest(method: "GET", url: url, fields: [HTTPField(name: "Authorization", value: "secret")])
    }

    @Test func followsARedirectWithoutADelegate() {
        _ = start(get())
        wire.exchanges[0].respond(302, [("Location", "/next")], "moved")
        wire.exchanges[1].respond(200, [], "there")
        #expect(wire.exchanges[1].request.url == "http://a.example/next")
        #expect(sink.names == ["head 200", "chunk there", "end"])
    }

    @Test func keepsCredentialsAtTheirOrigin() {
        _ = start(get())
        wire.exchanges[0].respond(302, [("Location", "http://b.example/")])
        wire.exchanges[1].respond(302, [("Location", "http://a.example/")])
        #expect(wire.exchanges[1].request.fields == [])
        #expect(wire.exchanges[2].request.fields == [])
        wire.exchanges[2].respond()
    }

    @Test func deliversARefusedRedirectWithoutItsBodyAndAnError() {
        _ = start(get("https://a.example/"))
        wire.exchanges[0].respond(302, [("Location", "http://a.example/")], "moved")
        #expect(sink.names == ["head 302", "end other"])
    }

    @Test func cutsOffABodyThatIsTooLongToBeDiscarded() {
        _ = start(get())
        wire.exchanges[0].head(302, [("Location", "/next")])
        for _ in 0..<5 { wire.exchanges[0].chunk(String(repeating: "x", count: 64 * 1024)) }
        #expect(wire.exchanges[0].cancellations == 1)
        wire.exchanges[1].respond()
        #expect(sink.names == ["head 200", "end"])
    }

    @Test func sendsNothingMoreOnceItIsCancelled() {
        let exchange = start(get())
        wire.exchanges[0].head(302, [("Location", "/next")])
        exchange.cancel()
        #expect(wire.exchanges.count == 1)
        #expect(sink.names == ["end cancelled"])
    }

    @Test func aPauseDoesNotOutliveAResumptionAtTheSameTime() {
        let exchange = start(get())
        wire.exchanges[0].onPause.set { exchange.resume() }
        exchange.pause()
        #expect(!wire.exchanges[0].isPaused)
    }

    @Test func aResumptionDoesNotOutliveAPauseAtTheSameTime() {
        let exchange = start(get())
        wire.exchanges[0].onResume.set { exchange.pause() }
        exchange.resume()
        #expect(wire.exchanges[0].isPaused)
    }

    /// The sink may have answered an event during the start with `wait`.
    @Test func forwardsAResumptionDuringTheStartOfAFollowUp() {
        let transport = HookedTransport(inner: wire)
        let exchange = FollowUps(inner: transport).start(get(), delivering: sink)
        transport.whenStarted.set { exchange.resume() }
        wire.exchanges[0].respond(302, [("Location", "/next")])
        #expect(wire.exchanges[1].resumptions == 1)
        wire.exchanges[1].respond()
    }

    @Test func pausesLaterExchangesWhenItWasPausedBefore() {
        let exchange = start(get())
        exchange.pause()
        wire.exchanges[0].respond(302, [("Location", "/next")])
        #expect(wire.exchanges[1].pauses == 1)
        exchange.resume()
        #expect(wire.exchanges[1].resumptions == 1)
        wire.exchanges[1].respond()
    }

    @Test func deliversARedirectWhoseBodyCannotBeSentAgain() {
        var request = get()
        request.method = "POST"
        request.body = .stream(SpentBody(), length: nil)
        _ = start(request)
        wire.exchanges[0].respond(307, [("Location", "/next")])
        #expect(wire.exchanges.count == 1)
        #expect(sink.names == ["head 307", "end"])
    }

    // MARK: Bodies of which the earlier exchange reads more

    private func upload(_ body: CountedBody) -> HTTPRequest {
        var request = get()
        request.method = "PUT"
        request.body = .stream(body, length: nil)
        return request
    }

    /// A server may send the head of a redirect long before its end, and the transport reads on until then.
    @Test func sendsTheWholeBodyAfterTheEarlierExchangeHasReadOn() {
        let body = CountedBody(isRepeatable: true)
        _ = start(upload(body))
        body.readOne()
        wire.exchanges[0].head(307, [("Location", "/next")])
        body.readOne()
        body.readOne()
        wire.exchanges[0].end()
        #expect(wire.exchanges.count == 2)
        #expect(body.position == 0)
        wire.exchanges[1].respond()
        #expect(sink.names == ["head 200", "end"])
    }

    @Test func sendsNoRestOfABodyThatWasReadAfterTheRedirect() {
        let body = CountedBody(isRepeatable: false)
        _ = start(upload(body))
        wire.exchanges[0].head(307, [("Location", "/next")])
        body.readOne()
        wire.exchanges[0].end()
        #expect(wire.exchanges.count == 1)
        #expect(sink.names == ["end requestBody"])
    }

    // MARK: Bodies of responses that are discarded

    @Test(arguments: [
        TransportFailure.Kind.reset, .truncated, .contentDecoding, .protocolViolation, .timeout(.idle),
    ])
    func followsARedirectWhoseDiscardedBodyFails(kind: TransportFailure.Kind) {
        _ = start(get())
        wire.exchanges[0].head(302, [("Location", "/next")])
        wire.exchanges[0].end(kind)
        wire.exchanges[1].respond(200, [], "there")
        #expect(sink.names == ["head 200", "chunk there", "end"])
    }

    @Test(arguments: [TransportFailure.Kind.cancelled, .timeout(.total), .requestBody])
    func followsNoRedirectOfAnExchangeThatTheCallerHasEnded(kind: TransportFailure.Kind) {
        _ = start(get())
        wire.exchanges[0].head(302, [("Location", "/next")])
        wire.exchanges[0].end(kind)
        #expect(wire.exchanges.count == 1)
        #expect(sink.names == ["end \(kind)"])
    }
}

/// A body that counts its reads since its start.
private final class CountedBody: TransportBodyReader {
    private let reads = Lock(0)
    private let isRepeatable: Bool

    init(isRepeatable: Bool) { self.isRepeatable = isRepeatable }

    var position: Int { reads.value }

    func readOne() { reads.add(1) }

    func read(into buffer: UnsafeMutableRawBufferPointer, whenReadable: @escaping @Sendable () -> Void) -> Int? {
        readOne()
        buffer[0] = UInt8(ascii: "x")
        return 1
    }

    func rewind() -> Bool {
        reads.withLock { reads in
            if isRepeatable { reads = 0 }
            return reads == 0
        }
    }
}

/// A body that was read.
private final class SpentBody: TransportBodyReader {
    func read(into buffer: UnsafeMutableRawBufferPointer, whenReadable: @escaping @Sendable () -> Void) -> Int? { 0 }
    func rewind() -> Bool { false }
}

/// Writes down the events that it takes.
final class EventNames: TransportSink {
    private let kept = Lock<[String]>([])

    var names: [String] { kept.withLock { $0 } }

    func receive(_ event: TransportEvent) -> TransportDemand {
        let name =
            switch event {
            case .informational(let head): "informational \(head.status)"
            case .head(let head): "head \(head.status)"
            case .chunk(let bytes): "chunk \(String(decoding: bytes, as: UTF8.self))"
            case .sent(let bytes, _): "sent \(bytes)"
            case .end(let end): end.failure.map { "end \($0.kind)" } ?? "end"
            }
        kept.withLock { $0.append(name) }
        return .more
    }
}

/// Calls a closure after it has started an exchange, before it returns the handle.
private final class HookedTransport: Transport {
    let whenStarted = Lock<(@Sendable () -> Void)?>(nil)
    private let inner: any Transport

    init(inner: any Transport) { self.inner = inner }

    func start(_ request: HTTPRequest, delivering sink: any TransportSink) -> any TransportExchange {
        let handle = inner.start(request, delivering: sink)
        whenStarted.exchange(nil)?()
        return handle
    }
}
