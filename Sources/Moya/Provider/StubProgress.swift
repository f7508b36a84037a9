import MoyaTransport

/// Passes a call to a subclass's `stubRequest`, whose parameters do not include it.
final class StubProgress: Sendable {
    @TaskLocal static var current: StubProgress?

    private let endpoint: Endpoint
    private let call: Lock<ProviderCall?>

    init(of call: ProviderCall, with endpoint: Endpoint) {
        self.call = Lock(call)
        self.endpoint = endpoint
    }

    /// Returns, once, the closure that reports the progress of a stub with the given endpoint.
    func take(for endpoint: Endpoint) -> SendableProgressBlock? {
        guard endpoint === self.endpoint, let call = call.withLock({ $0.take() }) else { return nil }
        return { call.relay($0) }
    }
}
