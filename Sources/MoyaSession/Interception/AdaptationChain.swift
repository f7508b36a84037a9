import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Calls adapters in order, each with the request returned by the previous one.
final class AdaptationChain<Failure: Error>: Sendable {
    typealias Answer = @Sendable (Result<URLRequest, any Error>) -> Void

    /// The request that is adapted.
    enum Occasion {
        case request(RequestAdapterState)
        /// A caller of ``RequestAdapter/adapt(_:for:completion:)``, without a request.
        case session(Session)
    }

    private let adapters: [any RequestAdapter]
    private let occasion: Occasion
    private let wrap: @Sendable (any Error) -> Failure
    private let completion: @Sendable (Result<URLRequest, Failure>) -> Void

    init(
        adapters: [any RequestAdapter], occasion: Occasion, wrapping wrap: @escaping @Sendable (any Error) -> Failure,
        completion: @escaping @Sendable (Result<URLRequest, Failure>) -> Void
    ) {
        self.adapters = adapters
        self.occasion = occasion
        self.wrap = wrap
        self.completion = completion
    }

    func run(_ urlRequest: URLRequest) { adapt(0, urlRequest) }

    private func adapt(_ first: Int, _ urlRequest: URLRequest) {
        var index = first
        var urlRequest = urlRequest
        while index < adapters.count {
            // For a request that ended meanwhile, no credential should be refreshed and nothing signed.
            guard index == 0 || !isOver else { return completion(.failure(wrap(SessionError.explicitlyCancelled))) }
            let awaited = OneShotCallback<Result<URLRequest, any Error>>()
            let answer: Answer = { [self, index] result in
                guard awaited.give(result) else { return }
                switch result {
                case .success(let adapted): adapt(index + 1, adapted)
                case .failure(let error): completion(.failure(wrap(error)))
                }
            }
            switch occasion {
            case .request(let state): adapters[index].adapt(urlRequest, using: state, completion: answer)
            case .session(let session): adapters[index].adapt(urlRequest, for: session, completion: answer)
            }
            switch awaited.whenReturned() {
            case .success(let adapted)?: urlRequest = adapted
            case .failure(let error)?: return completion(.failure(wrap(error)))
            case nil: return
            }
            index += 1
        }
        completion(.success(urlRequest))
    }

    private var isOver: Bool { if case .request(let state) = occasion { state.request.isOver } else { false } }
}

extension AdaptationChain where Failure == SessionError {
    /// Makes a chain whose failure is that of the request.
    convenience init(
        adapters: [any RequestAdapter], state: RequestAdapterState,
        completion: @escaping @Sendable (Result<URLRequest, SessionError>) -> Void
    ) {
        self.init(
            adapters: adapters, occasion: .request(state), wrapping: { .requestAdaptationFailed(error: $0) },
            completion: completion)
    }
}
