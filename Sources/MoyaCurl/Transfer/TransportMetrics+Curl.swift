#if os(Linux)
import CMoyaCurl
import Foundation
import MoyaTransport

extension TransportMetrics {
    /// Reads libcurl's measurements of the transfer that a handle just ended.
    ///
    /// - Parameter waited: The time that the exchange waited before libcurl received it.
    init(of easy: UnsafeMutableRawPointer, begunAfter waited: Double) {
        func offset(_ info: CURLINFO) -> Int64 {
            var value: curl_off_t = 0
            moya_easy_get_offset(easy, info, &value)
            return Int64(value)
        }
        func seconds(_ info: CURLINFO) -> Double {
            let microseconds = offset(info)
            return microseconds == 0 ? 0 : Double(microseconds) / 1_000_000 + waited
        }
        var address: UnsafePointer<CChar>?
        moya_easy_get_string(easy, CURLINFO_PRIMARY_IP, &address)
        let total = seconds(CURLINFO_TOTAL_TIME_T)

        self.init(
            nameLookupEnd: seconds(CURLINFO_NAMELOOKUP_TIME_T),
            connectEnd: seconds(CURLINFO_CONNECT_TIME_T),
            tlsEnd: seconds(CURLINFO_APPCONNECT_TIME_T),
            firstByte: seconds(CURLINFO_STARTTRANSFER_TIME_T),
            total: total,
            networkProtocol: Self.name(ofVersion: CURLINFO_HTTP_VERSION.number(of: easy)),
            reusedConnection: Self.isReused(easy),
            bytesSent: offset(CURLINFO_SIZE_UPLOAD_T),
            bytesReceived: offset(CURLINFO_SIZE_DOWNLOAD_T),
            remoteAddress: address.map { String(cString: $0) } ?? "",
            remotePort: CURLINFO_PRIMARY_PORT.number(of: easy),
            start: Date(timeIntervalSinceNow: -total)
        )
    }

    /// `true` if the transfer used an open connection.
    static func isReused(_ easy: UnsafeMutableRawPointer) -> Bool {
        CURLINFO_NUM_CONNECTS.number(of: easy) == 0
    }

    private static func name(ofVersion version: Int) -> String {
        switch version {
        case Int(CURL_HTTP_VERSION_1_0): "http/1.0"
        case Int(CURL_HTTP_VERSION_1_1): "http/1.1"
        case Int(CURL_HTTP_VERSION_2_0): "h2"
        case Int(CURL_HTTP_VERSION_3): "h3"
        default: ""
        }
    }
}

extension CURLINFO {
    /// The integer that libcurl reports about a transfer.
    func number(of easy: UnsafeMutableRawPointer) -> Int {
        var value = 0
        moya_easy_get_long(easy, self, &value)
        return value
    }
}
#endif
