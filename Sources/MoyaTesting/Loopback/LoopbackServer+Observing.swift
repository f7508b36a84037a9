extension LoopbackServer {
    /// The counts of connections and requests so far.
    public var activity: LoopbackActivity { listening.record.value.activity }

    /// The number of connections accepted so far.
    public var connectionCount: Int { activity.connectionCount }

    /// The number of requests received so far, counted when their heads were complete.
    public var requestCount: Int { activity.requestCount }

    /// Every request received so far, in the order of arrival.
    public var requests: [LoopbackRequest] { listening.record.value.requests }

    /// The server's errors so far: errors thrown by handlers, and malformed requests.
    ///
    /// A client that breaks a connection while a handler sends or reads also adds an entry.
    public var failures: [any Error] { listening.record.value.failures }

    /// The open connections, oldest first.
    public var openConnections: [LoopbackConnection] { listening.openConnections }

    /// Waits until the server's counters satisfy a condition, and returns them.
    ///
    /// ```swift
    /// try await server.waitUntil { $0.requestCount == 3 && $0.openConnectionCount == 0 }
    /// ```
    ///
    /// - Parameters:
    ///   - limit: The time limit for an event that never occurs; it delays nothing else.
    ///   - isFulfilled: Called now and after changes, but perhaps not in a state that lasts only briefly.
    /// - Throws: ``TestSupportError/timedOut(_:)`` with the last counts, `CancellationError`.
    @discardableResult
    public func waitUntil(
        within limit: Duration = .seconds(30), _ isFulfilled: @escaping @Sendable (LoopbackActivity) -> Bool
    ) async throws -> LoopbackActivity {
        let record = listening.record
        return try await record.when(within: limit) {
            .timedOut("a state of the server; it has \(record.value.activity)")
        } _: {
            isFulfilled($0.activity)
        }.activity
    }
}
