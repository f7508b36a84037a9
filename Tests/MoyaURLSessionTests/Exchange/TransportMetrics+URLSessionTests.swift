import Foundation
import MoyaTransport
import Testing

@testable import MoyaURLSession

@Suite struct TransportMetricsURLSessionTests {
    private let start = Date(timeIntervalSinceReferenceDate: 1_000)

    private var interval: DateInterval { DateInterval(start: start, duration: 9) }

    @Test func timesCountFromTheStart() {
        let metrics = TransportMetrics(
            nameLookupEnd: start + 1, connectEnd: start + 2, tlsEnd: start + 3, responseStart: start + 4, in: interval)
        #expect(metrics.nameLookupEnd == 1)
        #expect(metrics.connectEnd == 2)
        #expect(metrics.tlsEnd == 3)
        #expect(metrics.firstByte == 4)
        #expect(metrics.total == 9)
        #expect(metrics.taskInterval == interval)
    }

    @Test func theTCPHandshakeEndsWhereTLSBegins() {
        let metrics = TransportMetrics(
            connectEnd: start + 3, secureStart: start + 2, tlsEnd: start + 3, in: interval)
        #expect(metrics.connectEnd == 2)
        #expect(metrics.tlsEnd == 3)
    }

    @Test func aPhaseThatDidNotTakePlaceTakesNoTime() {
        let metrics = TransportMetrics(responseStart: start + 4, in: interval)
        #expect(metrics.nameLookupEnd == 0)
        #expect(metrics.connectEnd == 0)
        #expect(metrics.tlsEnd == 0)
    }

    /// The connection of an earlier exchange has earlier dates.
    @Test func aPhaseBeforeTheStartTakesNoTime() {
        let metrics = TransportMetrics(
            nameLookupEnd: start - 5, connectEnd: start - 4, tlsEnd: start - 3, in: interval)
        #expect([metrics.nameLookupEnd, metrics.connectEnd, metrics.tlsEnd] == [0, 0, 0])
    }
}
