/// The counters of a ``LoopbackServer``.
public struct LoopbackActivity: Sendable, Hashable, CustomStringConvertible {
    /// The number of accepted connections.
    public internal(set) var connectionCount = 0
    /// The number of open connections, as far as the server has looked: it learns that a peer closed when it reads.
    public internal(set) var openConnectionCount = 0
    /// The number of requests received, counted when their heads were whole.
    public internal(set) var requestCount = 0
    /// The number of finished runs of the handler.
    public internal(set) var handledCount = 0

    /// The counts in a line.
    public var description: String {
        "\(connectionCount) connections, \(openConnectionCount) open, \(requestCount) requests, \(handledCount) handled"
    }
}

/// Everything a server remembers, so that it changes as one.
struct LoopbackRecord: Sendable {
    var activity = LoopbackActivity()
    var requests: [LoopbackRequest] = []
    var failures: [any Error] = []
}
