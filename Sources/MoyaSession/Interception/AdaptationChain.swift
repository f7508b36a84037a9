import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Asks adapters one after another, each with what the one before made of the request.
final class AdaptationChain: Sendable {
    private let adapters: [any RequestAdapter]
    private let state: RequestAdapterState
    private let completion: @Sendable (Result<URLRequest, SessionError>) -> Void
    /// The adapter whose answer is awaited; any other answer is a second one, or late.
    private let awaited = Atomic(0)

    init(
        adapters: [any RequestAdapter], state: RequestAdapterState,
        completion: @escaping @Sendable (Result<URLRequest, SessionError>) -> Void
    ) {
        self.adapters = adapters
        self.state = state
        self.completion = completion
    }

    func run(_ urlRequest: URLRequest) { ask(0, urlRequest) }

    private func ask(_ index: Int, _ urlRequest: URLRequest) {
        guard index < adapters.count else { return completion(.success(urlRequest)) }
        adapters[index].adapt(urlRequest, using: state) { [self] result in
            guard awaited.compareExchange(expected: index, desired: index + 1, ordering: .relaxed).exchanged else {
                return
            }
            switch result {
            case .success(let adapted): ask(index + 1, adapted)
            case .failure(let error):
                awaited.store(.max, ordering: .relaxed)
                completion(.failure(.requestAdaptationFailed(error: error)))
            }
        }
    }
}
