import MoyaTransport

/// Passes a call to a subclass's `stubRequest`, whose parameters do not include it.
final class StubbedCall: Sendable {
    @TaskLocal static var current: StubbedCall?

    private let endpoint: Endpoint
    private let call: Lock<ProviderCall?>

    init(_ call: ProviderCall, with endpoint: Endpoint) {
        self.call = Lock(call)
        self.endpoint = endpoint
    }

    /// Returns, once, the call that a stub with the given endpoint answers.
    func take(for endpoint: Endpoint) -> ProviderCall? {
        endpoint === self.endpoint ? call.withLock { $0.take() } : nil
    }
}
