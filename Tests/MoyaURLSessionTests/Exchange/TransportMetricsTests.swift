import Foundation
import MoyaTransport
import Testing

@testable import MoyaURLSession

@Suite struct TransportMetricsTests {
    private let start = Date(timeIntervalSinceReferenceDate: 1_000)

    private func metrics(_ dates: TransactionDates) -> TransportMetrics {
        TransportMetrics(of: dates, in: DateInterval(start: start, duration: 9))
    }

    @Test func timesCountFromTheStart() {
        let metrics = metrics(
            TransactionDates(
                nameLookupEnd: start + 1, connectEnd: start + 2, tlsEnd: start + 3, responseStart: start + 4))
        #expect(metrics.nameLookupEnd == 1)
        #expect(metrics.connectEnd == 2)
        #expect(metrics.tlsEnd == 3)
        #expect(metrics.firstByte == 4)
        #expect(metrics.total == 9)
    }

    @Test func aPhaseThatDidNotTakePlaceTakesNoTime() {
        let metrics = metrics(TransactionDates(responseStart: start + 4))
        #expect(metrics.nameLookupEnd == 0)
        #expect(metrics.connectEnd == 0)
        #expect(metrics.tlsEnd == 0)
    }

    /// The connection of an earlier exchange has earlier dates.
    @Test func aPhaseBeforeTheStartTakesNoTime() {
        let metrics = metrics(TransactionDates(nameLookupEnd: start - 5, connectEnd: start - 4, tlsEnd: start - 3))
        #expect([metrics.nameLookupEnd, metrics.connectEnd, metrics.tlsEnd] == [0, 0, 0])
    }
}
