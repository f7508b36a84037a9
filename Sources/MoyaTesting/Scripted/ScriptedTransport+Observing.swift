public import Foundation
public import MoyaTransport

extension ScriptedTransport {
    /// A request of a ``ScriptedTransport``, and its state.
    public struct Exchange: Sendable {
        /// The request.
        public let request: HTTPRequest
        /// The part of the body read so far, from any source; `nil` if nothing was read, or without a body.
        public internal(set) var body: Data?
        /// The number of calls of `TransportExchange.pause()`.
        public internal(set) var pauses = 0
        /// The number of calls of `TransportExchange.resume()`.
        public internal(set) var resumptions = 0
        /// `true` if `TransportExchange.cancel()` was called.
        public internal(set) var isCancelled = false
        /// The end of the exchange; `nil` while it is in flight.
        public internal(set) var end: TransportEnd?
    }

    /// Every exchange so far, in the order in which they were started.
    public var exchanges: [Exchange] { record.value.exchanges }

    /// Every request so far, in order of arrival.
    public var requests: [HTTPRequest] { record.value.exchanges.map(\.request) }

    /// The requests without an answer.
    public var unexpectedRequests: [HTTPRequest] { record.value.unexpected }

    /// Waits until the exchanges satisfy a condition, and returns them.
    ///
    /// ```swift
    /// try await transport.waitUntil { $0.count == 2 && $0.allSatisfy { $0.end != nil } }
    /// ```
    ///
    /// - Parameters:
    ///   - limit: The time limit, in real time, for an event that never occurs; it delays nothing else.
    ///   - isFulfilled: Called now and after changes, but perhaps not in a state that lasts only briefly.
    /// - Throws: ``TestSupportError/timedOut(_:)``, `CancellationError`.
    @discardableResult
    public func waitUntil(
        within limit: Duration = .seconds(30), _ isFulfilled: @escaping @Sendable ([Exchange]) -> Bool
    ) async throws -> [Exchange] {
        let record = record
        return try await record.when(within: limit) {
            let exchanges = record.value.exchanges
            let requests = exchanges.map { "\($0.request.method) \(SecretMask.standard.url($0.request.url))" }
            return .timedOut(
                """
                a state of a scripted transport; it was asked \(requests), \
                and \(exchanges.count { $0.end == nil }) of these are under way
                """)
        } _: {
            isFulfilled($0.exchanges)
        }.exchanges
    }
}
