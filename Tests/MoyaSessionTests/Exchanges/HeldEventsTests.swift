import Foundation
import MoyaTransport
import Testing

@testable import MoyaSession

@Suite struct HeldEventsTests {
    private func append(_ text: String, to events: inout HeldEvents) {
        Data(text.utf8).withUnsafeBytes { events.append(.chunk($0)) }
    }

    /// The events as text, in order.
    private func take(_ events: inout HeldEvents) -> [String] {
        var texts: [String] = []
        while let event = events.popFirst() {
            let text =
                switch event {
                case .informational(let head): "informational \(head.status)"
                case .head(let head): "head \(head.status)"
                case .chunk(let data): String(decoding: data, as: UTF8.self)
                case .sent(let bytes, _): "sent \(bytes)"
                case .end: "end"
                }
            texts.append(text)
        }
        return texts
    }

    @Test func keepsTheOrderOfEvents() {
        var events = HeldEvents()
        events.append(.informational(TransportResponseHead(status: 103, fields: [])))
        events.append(.head(TransportResponseHead(status: 200, fields: [])))
        append("a", to: &events)
        events.append(.sent(bytes: 1, expected: nil))
        append("b", to: &events)
        events.append(.end(TransportEnd()))
        #expect(take(&events) == ["informational 103", "head 200", "a", "sent 1", "b", "end"])
    }

    @Test func eventsFollowThoseOfItsStart() {
        var events = HeldEvents([.head(TransportResponseHead(status: 200, fields: [])), .chunk(Data("a".utf8))])
        append("b", to: &events)
        #expect(take(&events) == ["head 200", "a", "b"])
    }

    @Test func aChunkDuringTheDeliveryFollows() {
        var events = HeldEvents()
        append("a", to: &events)
        events.append(.sent(bytes: 1, expected: nil))
        _ = events.popFirst()
        append("b", to: &events)
        #expect(take(&events) == ["sent 1", "b"])
    }

    @Test func joinsChunksUpTo64KiB() {
        var events = HeldEvents()
        for _ in 0..<1000 { append(String(repeating: "a", count: 100), to: &events) }
        #expect(take(&events).map(\.count) == [65_500, 34_500])
    }

    @Test func keepsALongerChunkWhole() {
        var events = HeldEvents()
        append("a", to: &events)
        append(String(repeating: "b", count: 100_000), to: &events)
        append("c", to: &events)
        #expect(take(&events).map(\.count) == [1, 100_000, 1])
    }

    @Test func keepsOnlyTheLastOfSuccessiveCountsOfSentBytes() {
        var events = HeldEvents()
        for bytes in 1...5 { events.append(.sent(bytes: Int64(bytes), expected: 5)) }
        #expect(take(&events) == ["sent 5"])
    }

    @Test(arguments: [true, false]) func knowsItsEnd(isHeld: Bool) {
        var events = HeldEvents(isHeld ? [.end(TransportEnd())] : [])
        if !isHeld { events.append(.end(TransportEnd())) }
        #expect(events.end != nil)
    }
}
