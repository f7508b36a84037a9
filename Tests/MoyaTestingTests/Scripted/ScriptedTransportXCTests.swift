import MoyaTesting
import MoyaTransport
import XCTest

/// The same transport from XCTest, driven by a clock.
final class ScriptedTransportXCTests: XCTestCase {
    private final class Sink: TransportSink {
        func receive(_ event: TransportEvent) -> TransportDemand { .more }
    }

    func testADelayedAnswerArrivesWhenTheClockIsMovedOn() async throws {
        let clock = TestClock()
        let transport = ScriptedTransport(.response(201).delayed(by: .seconds(60)), clock: clock)
        _ = transport.start(HTTPRequest(method: "GET", url: "http://example.com/"), delivering: Sink())
        try await clock.waitForSleepers(1)
        clock.advance(by: .seconds(60))
        let exchanges = try await transport.waitUntil { $0.first?.end != nil }
        XCTAssertEqual(transport.requests.map(\.url), ["http://example.com/"])
        XCTAssertNil(exchanges.first?.end?.failure)
    }
}
