import Foundation
import MoyaTransport

extension TransportMetrics {
    /// Makes the times of an exchange in seconds after its start from the dates that `URLSession` measures; 0 for a phase
    /// that did not take place, or before the start, as that of a reused connection.
    ///
    /// - Parameter connectEnd: The end of connecting, which for `URLSession` includes the TLS handshake: the TCP handshake
    ///   ends at `secureStart`, if there is one.
    init(
        nameLookupEnd: Date? = nil, connectEnd: Date? = nil, secureStart: Date? = nil, tlsEnd: Date? = nil,
        responseStart: Date? = nil, in interval: DateInterval
    ) {
        func seconds(_ date: Date?) -> Double { date.map { max(0, $0.timeIntervalSince(interval.start)) } ?? 0 }
        self.init(
            nameLookupEnd: seconds(nameLookupEnd),
            connectEnd: seconds(secureStart ?? connectEnd),
            tlsEnd: seconds(tlsEnd),
            firstByte: seconds(responseStart),
            total: interval.duration,
            start: interval.start)
    }
}

#if canImport(Darwin)
extension TransportMetrics {
    /// Reads `URLSession`'s measurements of the last transaction of a task.
    init(_ metrics: URLSessionTaskMetrics) {
        let last = metrics.transactionMetrics.last
        self.init(
            nameLookupEnd: last?.domainLookupEndDate, connectEnd: last?.connectEndDate,
            secureStart: last?.secureConnectionStartDate, tlsEnd: last?.secureConnectionEndDate,
            responseStart: last?.responseStartDate, in: metrics.taskInterval)
        networkProtocol = last?.networkProtocolName ?? ""
        reusedConnection = last?.isReusedConnection ?? false
        bytesSent = last?.countOfRequestBodyBytesSent ?? 0
        bytesReceived = last?.countOfResponseBodyBytesReceived ?? 0
        remoteAddress = last?.remoteAddress ?? ""
        remotePort = last?.remotePort ?? 0
    }
}
#endif
