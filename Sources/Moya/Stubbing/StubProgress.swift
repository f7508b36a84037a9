import Synchronization

/// Progress closures on their way around a subclass's `stubRequest`, whose parameters have no place for them; found
/// again by the endpoint that the subclass hands back.
final class StubProgress: Sendable {
    private let kept = Mutex<[ObjectIdentifier: SendableProgressBlock]>([:])

    func keep(_ progress: SendableProgressBlock?, for endpoint: Endpoint) {
        guard let progress else { return }
        kept.withLock { $0[ObjectIdentifier(endpoint)] = progress }
    }

    func take(for endpoint: Endpoint) -> SendableProgressBlock? {
        kept.withLock { $0.removeValue(forKey: ObjectIdentifier(endpoint)) }
    }
}
