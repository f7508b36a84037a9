import Foundation
import MoyaTransport

/// The dates of a transaction, as `URLSession` measures them; `nil` for a phase that did not take place.
struct TransactionDates {
    var nameLookupEnd: Date?
    var connectEnd: Date?
    var tlsEnd: Date?
    var responseStart: Date?
}

extension TransportMetrics {
    /// Makes the times of an exchange in seconds after its start; 0 for a phase without a date or before the start, as that
    /// of a reused connection.
    init(of dates: TransactionDates, in interval: DateInterval) {
        func seconds(_ date: Date?) -> Double { date.map { max(0, $0.timeIntervalSince(interval.start)) } ?? 0 }
        self.init(
            nameLookupEnd: seconds(dates.nameLookupEnd),
            connectEnd: seconds(dates.connectEnd),
            tlsEnd: seconds(dates.tlsEnd),
            firstByte: seconds(dates.responseStart),
            total: interval.duration)
    }
}

#if canImport(Darwin)
extension TransportMetrics {
    /// Reads `URLSession`'s measurements of the last transaction of a task.
    init(_ metrics: URLSessionTaskMetrics) {
        let last = metrics.transactionMetrics.last
        let dates = TransactionDates(
            nameLookupEnd: last?.domainLookupEndDate, connectEnd: last?.connectEndDate,
            tlsEnd: last?.secureConnectionEndDate, responseStart: last?.responseStartDate)
        self.init(of: dates, in: metrics.taskInterval)
        networkProtocol = last?.networkProtocolName ?? ""
        reusedConnection = last?.isReusedConnection ?? false
        bytesSent = last?.countOfRequestBodyBytesSent ?? 0
        bytesReceived = last?.countOfResponseBodyBytesReceived ?? 0
        remoteAddress = last?.remoteAddress ?? ""
        remotePort = last?.remotePort ?? 0
    }
}
#endif
