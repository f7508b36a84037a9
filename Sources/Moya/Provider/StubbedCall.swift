import MoyaTransport

/// Passes a call to a subclass's `stubRequest`, whose parameters do not include it.
final class StubbedCall: Sendable {
    @TaskLocal static var current: StubbedCall?

    /// The pace of a streamed stub; `nil` for a sample that is delivered whole.
    let pace: SamplePace?
    private let endpoint: Endpoint
    private let call: Lock<ProviderCall?>

    init(_ call: ProviderCall, with endpoint: Endpoint, at pace: SamplePace? = nil) {
        self.pace = pace
        self.call = Lock(call)
        self.endpoint = endpoint
    }

    /// Returns, once, the call that a stub with the given endpoint answers.
    func take(for endpoint: Endpoint) -> ProviderCall? {
        endpoint === self.endpoint ? call.withLock { $0.take() } : nil
    }
}
