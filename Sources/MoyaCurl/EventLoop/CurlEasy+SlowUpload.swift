#if os(Linux)
import CMoyaCurl

/// Detects that a long request body is still being sent, although libcurl reads no more of it.
///
/// libcurl reads up to 256 KiB at once, and the kernel buffers up to some megabytes. Over a slow connection, these take
/// longer to send than the idle limit allows.
struct SlowUpload {
    /// The number of bytes that the server had acknowledged at the last check.
    private var acknowledged: Int64
    /// The number at which the body is received as far as it was read: an HTTP/2 connection also sends frames of other
    /// streams, and responses to pings, which are no activity of the exchange.
    private let end: Int64

    /// - Parameter count: The number of bytes that were just read, and not sent yet.
    init(over socket: Int32, passing count: Int) {
        acknowledged = moya_socket_acknowledged_bytes(socket)
        end = acknowledged + moya_socket_unacknowledged_bytes(socket) + Int64(count)
    }

    /// Returns `true` if the server has received more of the body since the last check.
    mutating func hasAdvanced(over socket: Int32) -> Bool {
        let before = acknowledged
        acknowledged = moya_socket_acknowledged_bytes(socket)
        return before < min(acknowledged, end)
    }
}

extension CurlEasy {
    /// Records the state of the connection when a part of the body was read, unless the body is short so far.
    func recordAcknowledgedBytes(passing count: Int) {
        guard sentBytes >= 64 * 1024, idleNanoseconds != nil, let socket else { return }
        slowUpload = SlowUpload(over: socket, passing: count)
    }

    /// `true` if the server has received more of the body since the last check, which counts as activity.
    func hasSentSlowly() -> Bool {
        guard let socket, slowUpload?.hasAdvanced(over: socket) == true else { return false }
        recordActivity()
        return true
    }
}
#endif
