/// The handle of an exchange whose answer was at hand: over before it could be cancelled.
package final class FinishedExchange: TransportExchange {
    /// The one instance: it has no state.
    package static let shared = FinishedExchange()

    private init() {}

    package func cancel() {}
    package func pause() {}
    package func resume() {}
}
