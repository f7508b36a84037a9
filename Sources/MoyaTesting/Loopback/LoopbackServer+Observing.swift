extension LoopbackServer {
    /// The counts of connections and requests so far.
    public var activity: LoopbackActivity { listening.record.value.activity }

    /// The number of connections accepted so far.
    public var connectionCount: Int { activity.connectionCount }

    /// The number of requests received so far, counted when their heads were whole.
    public var requestCount: Int { activity.requestCount }

    /// Every request received so far, in the order of arrival.
    public var requests: [LoopbackRequest] { listening.record.value.requests }

    /// The errors on the server's side so far: those that handlers threw, and malformed requests.
    ///
    /// A client that breaks a connection while a handler sends or reads makes an entry too.
    public var failures: [any Error] { listening.record.value.failures }

    /// The connections that are open, oldest first.
    public var openConnections: [LoopbackConnection] { listening.openConnections }

    /// Waits until what the server has seen fulfils a condition, and returns the counts that did.
    ///
    /// ```swift
    /// try await server.waitUntil { $0.requestCount == 3 && $0.openConnectionCount == 0 }
    /// ```
    ///
    /// - Parameters:
    ///   - limit: The time to give up after; a bound for what never happens, nothing takes longer because of it.
    ///   - isFulfilled: Called now and after every change.
    /// - Throws: ``LoopbackError/timedOut(_:)`` with the last counts, `CancellationError`.
    @discardableResult
    public func waitUntil(
        within limit: Duration = .seconds(30), _ isFulfilled: @escaping @Sendable (LoopbackActivity) -> Bool
    ) async throws -> LoopbackActivity {
        let record = listening.record
        return try await withTimeLimit(limit) {
            .timedOut("a state of the server; it has \(record.value.activity)")
        } _: {
            try await record.when { isFulfilled($0.activity) }.activity
        }
    }
}
