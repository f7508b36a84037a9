import MoyaTransport

/// The call to stub by a subclass's `stubRequest`, whose parameters have no place for it.
final class StubProgress: Sendable {
    @TaskLocal static var current: StubProgress?

    private let endpoint: Endpoint
    private let call: Lock<ProviderCall?>

    init(of call: ProviderCall, with endpoint: Endpoint) {
        self.call = Lock(call)
        self.endpoint = endpoint
    }

    /// Takes out, once, what reports the progress of a stub with the endpoint that it came with.
    func take(for endpoint: Endpoint) -> SendableProgressBlock? {
        guard endpoint === self.endpoint, let call = call.withLock({ $0.take() }) else { return nil }
        return { call.relay($0) }
    }
}
