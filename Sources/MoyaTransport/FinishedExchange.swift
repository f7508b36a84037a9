/// The handle of an exchange that ended before `start` returned.
package final class FinishedExchange: TransportExchange {
    /// The shared instance, since it has no state.
    package static let shared = FinishedExchange()

    private init() {}

    package func cancel() {}
    package func pause() {}
    package func resume() {}
}
