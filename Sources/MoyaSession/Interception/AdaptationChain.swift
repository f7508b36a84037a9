import Foundation
import MoyaTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Calls adapters in order, each with the request returned by the previous one.
final class AdaptationChain: Sendable {
    /// Consumes the result: a request without other owners is changed in place, which saves Foundation's copy.
    typealias Answer = @Sendable (consuming Result<URLRequest, any Error>) -> Void

    private let count: Int
    private let adapter: @Sendable (Int) -> any RequestAdapter
    private let session: Session
    /// The request that is adapted; `nil` for a caller of ``RequestAdapter/adapt(_:for:completion:)``.
    private let state: RequestAdapterState?
    private let completion: Answer
    private let awaited = Lock(OneShotCallback<Result<URLRequest, any Error>>())

    /// - Parameter adapter: Returns the adapter at a position; converting an array of them would cost a cast for each.
    init(
        count: Int, adapter: @escaping @Sendable (Int) -> any RequestAdapter, session: Session,
        state: RequestAdapterState?, completion: @escaping Answer
    ) {
        self.count = count
        self.adapter = adapter
        self.session = session
        self.state = state
        self.completion = completion
    }

    func run(_ urlRequest: URLRequest) { adapt(0, urlRequest) }

    private func adapt(_ first: Int, _ urlRequest: URLRequest) {
        var index = first
        var urlRequest = urlRequest
        while index < count {
            // For a request that ended meanwhile, no credential should be refreshed and nothing signed.
            if index > 0, state?.request.isOver == true {
                return completion(.failure(SessionError.explicitlyCancelled))
            }
            let question = awaited.withLock { $0.nextQuestion() }
            let answer: @Sendable (Result<URLRequest, any Error>) -> Void = { [self, index] result in
                guard awaited.withLock({ $0.give(result, to: question) }) else { return }
                switch result {
                case .success(let adapted): adapt(index + 1, adapted)
                case .failure: completion(result)
                }
            }
            if let state {
                adapter(index).adapt(urlRequest, using: state, completion: answer)
            } else {
                adapter(index).adapt(urlRequest, for: session, completion: answer)
            }
            switch awaited.withLock({ $0.whenReturned() }) {
            case .success(let adapted)?: urlRequest = adapted
            case .failure(let error)?: return completion(.failure(error))
            case nil: return
            }
            index += 1
        }
        completion(.success(consume urlRequest))
    }
}
