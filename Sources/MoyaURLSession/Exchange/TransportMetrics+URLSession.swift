#if canImport(Darwin)
import Foundation
import MoyaTransport

extension TransportMetrics {
    /// Reads `URLSession`'s measurements of the last transaction of a task.
    init(_ metrics: URLSessionTaskMetrics) {
        let start = metrics.taskInterval.start
        let last = metrics.transactionMetrics.last
        func seconds(_ date: Date?) -> Double { date.map { max(0, $0.timeIntervalSince(start)) } ?? 0 }
        self.init(
            nameLookupEnd: seconds(last?.domainLookupEndDate),
            connectEnd: seconds(last?.connectEndDate),
            tlsEnd: seconds(last?.secureConnectionEndDate),
            firstByte: seconds(last?.responseStartDate),
            total: metrics.taskInterval.duration,
            networkProtocol: last?.networkProtocolName ?? "",
            reusedConnection: last?.isReusedConnection ?? false,
            bytesSent: last?.countOfRequestBodyBytesSent ?? 0,
            bytesReceived: last?.countOfResponseBodyBytesReceived ?? 0,
            remoteAddress: last?.remoteAddress ?? "",
            remotePort: last?.remotePort ?? 0)
    }
}
#endif
