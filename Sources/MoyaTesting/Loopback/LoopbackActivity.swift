/// The counters of a ``LoopbackServer``.
public struct LoopbackActivity: Sendable, Hashable, CustomStringConvertible {
    /// The number of accepted connections.
    public internal(set) var connectionCount = 0
    /// The number of open connections known to the server: it detects a close by the peer when it reads.
    public internal(set) var openConnectionCount = 0
    /// The number of requests received, counted when their heads were complete.
    public internal(set) var requestCount = 0
    /// The number of finished runs of the handler.
    public internal(set) var handledCount = 0

    /// The counters in one line.
    public var description: String {
        "\(connectionCount) connections, \(openConnectionCount) open, \(requestCount) requests, \(handledCount) handled"
    }
}

/// The whole record of a server, in one value that changes atomically.
struct LoopbackRecord: Sendable {
    var activity = LoopbackActivity()
    var requests: [LoopbackRequest] = []
    var failures: [any Error] = []
}
