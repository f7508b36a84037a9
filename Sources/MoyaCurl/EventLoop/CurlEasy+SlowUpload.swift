#if os(Linux)
import CMoyaCurl

/// Detects that a long request body is still being sent, although libcurl reads no more of it.
///
/// libcurl reads up to 256 KiB at once, and the kernel buffers up to some megabytes. Over a slow connection, these take
/// longer to send than the idle limit allows.
extension CurlEasy {
    /// Records the progress of the connection when a part of the body was read, unless the body is short so far.
    func recordAcknowledgedBytes() {
        guard sentBytes >= 64 * 1024, idleNanoseconds != nil, let socket else { return }
        acknowledgedBytes = moya_socket_acknowledged_bytes(socket)
    }

    /// `true` if the server has received more of the body since then, which counts as activity.
    ///
    /// An HTTP/2 connection also sends frames of other streams, and responses to pings.
    func hasSentSlowly() -> Bool {
        guard let acknowledged = acknowledgedBytes, let socket, let exchange, !speaksHTTP2(exchange),
            case let count = moya_socket_acknowledged_bytes(socket), count > acknowledged
        else { return false }
        acknowledgedBytes = count
        recordActivity()
        return true
    }
}
#endif
