import Foundation
import MoyaTransport
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Heads that wait for a queue on which their cookies are stored.
@Suite struct CookieExchangeTests {
    private let storage: HTTPCookieStorage
    private let wire: SteppedTransport
    private let queue = DispatchQueue(label: "cookies of a test")
    private let sink = EventTextSink()

    init() throws {
        storage = try #require(URLSessionConfiguration.ephemeral.httpCookieStorage)
        wire = SteppedTransport(deliversWhereCodeMayBlock: false)
        queue.suspend()
    }

    private func cookies(over wire: SteppedTransport) -> Cookies {
        Cookies(inner: wire, engine: CookieEngine(storage: storage, suffixes: .builtIn, queue: queue))
    }

    @discardableResult
    private func send() -> any TransportExchange {
        cookies(over: wire).start(HTTPRequest(method: "GET", url: "http://e.com/"), delivering: sink)
    }

    /// Makes the queue do what waits for it.
    private func store() {
        queue.resume()
        queue.sync {}
    }

    @Test func deliversTheHeadAfterItsCookiesAreStored() {
        defer { queue.resume() }
        send()
        #expect(wire.exchanges[0].head(200, [("Set-Cookie", "a=1")]) == .wait)
        #expect(sink.events.isEmpty)
    }

    @Test func storesTheCookiesBeforeTheHead() {
        let names = Recorded<String>()
        sink.onEvent.set { [storage] _ in storage.cookies?.forEach { names.add($0.name) } }
        send()
        wire.exchanges[0].head(200, [("Set-Cookie", "a=1")])
        store()
        #expect(names.all == ["a"])
    }

    @Test func resumesTheExchangeOnceTheHeadIsDelivered() {
        send()
        wire.exchanges[0].head(200, [("Set-Cookie", "a=1")])
        store()
        #expect(sink.events == ["head 200"])
        #expect(wire.exchanges[0].resumptions == 1)
    }

    @Test func readsNothingForACallerThatWaitsAtTheHead() {
        sink.demand.set(.wait)
        send()
        wire.exchanges[0].head(200, [("Set-Cookie", "a=1")])
        store()
        #expect(wire.exchanges[0].isPaused)
    }

    @Test func aResumptionOfTheCallerDoesNotOvertakeTheHead() {
        defer { queue.resume() }
        let handle = send()
        wire.exchanges[0].head(200, [("Set-Cookie", "a=1")])
        handle.resume()
        #expect(wire.exchanges[0].isPaused)
    }

    @Test func aPauseOfTheCallerOutlastsTheHead() {
        let handle = send()
        wire.exchanges[0].head(200, [("Set-Cookie", "a=1")])
        handle.pause()
        store()
        #expect(wire.exchanges[0].isPaused)
    }

    @Test func eventsThatArriveWhileCookiesAreStoredFollowTheHead() {
        send()
        wire.exchanges[0].head(200, [("Set-Cookie", "a=1")])
        wire.exchanges[0].sent(5, of: 5)
        wire.exchanges[0].end()
        store()
        #expect(sink.events == ["head 200", "sent 5", "end"])
    }

    @Test func aFailureEndsTheExchangeWithoutTheHead() {
        send()
        wire.exchanges[0].head(200, [("Set-Cookie", "a=1")])
        wire.exchanges[0].end(.timeout(.total))
        store()
        #expect(sink.events == ["failure"])
    }

    @Test func storesNoCookieOfACancelledExchange() {
        let handle = send()
        wire.exchanges[0].head(200, [("Set-Cookie", "a=1")])
        handle.cancel()
        store()
        #expect(sink.events == ["failure"])
        #expect(storage.cookies?.isEmpty == true)
    }

    @Test func aCancellationEndsAnExchangeThatOnlyWaitsForItsCookies() {
        let handle = send()
        wire.exchanges[0].respond(200, [("Set-Cookie", "a=1")])
        handle.cancel()
        store()
        #expect(sink.events == ["failure"])
    }

    @Test func aRedirectSendsItsCookies() {
        _ = FollowUps(inner: cookies(over: wire)).start(
            HTTPRequest(method: "GET", url: "http://e.com/"), delivering: sink)
        wire.exchanges[0].respond(302, [("Location", "/next"), ("Set-Cookie", "a=1")])
        store()
        #expect(wire.exchanges[1].request.fields.map(\.value) == ["a=1"])
    }

    @Test func doesNotWaitWhereCodeMayBlock() {
        defer { queue.resume() }
        let wire = SteppedTransport()
        _ = cookies(over: wire).start(HTTPRequest(method: "GET", url: "http://e.com/"), delivering: sink)
        wire.exchanges[0].respond(200, [("Set-Cookie", "a=1")])
        #expect(sink.events == ["head 200", "end"])
        #expect(storage.cookies?.count == 1)
    }
}

/// Records events as text.
private final class EventTextSink: TransportSink {
    private let recorded = Lock<[String]>([])
    let demand = Lock(TransportDemand.more)
    /// Called at each event.
    let onEvent = Lock<(@Sendable (TransportEvent) -> Void)?>(nil)

    var events: [String] { recorded.value }

    func receive(_ event: TransportEvent) -> TransportDemand {
        let text =
            switch event {
            case .informational(let head): "informational \(head.status)"
            case .head(let head): "head \(head.status)"
            case .chunk(let bytes): String(decoding: bytes, as: UTF8.self)
            case .sent(let bytes, _): "sent \(bytes)"
            case .end(let end): end.failure == nil ? "end" : "failure"
            }
        recorded.withLock { $0.append(text) }
        onEvent.value?(event)
        return demand.value
    }
}
