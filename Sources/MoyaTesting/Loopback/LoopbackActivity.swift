/// What a ``LoopbackServer`` has seen so far.
public struct LoopbackActivity: Sendable, Hashable, CustomStringConvertible {
    /// How many connections were accepted.
    public internal(set) var connectionCount = 0
    /// How many of them are open, as far as the server has looked: it learns that a peer closed when it reads.
    public internal(set) var openConnectionCount = 0
    /// How many requests were received, counted when their heads were whole.
    public internal(set) var requestCount = 0
    /// How many runs of the handler are over.
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
