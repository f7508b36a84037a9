import MoyaTransport

/// The single answer of a refresh: only the first counts, and a missing answer is a failure.
final class RefreshAnswer<Credential: Sendable>: Sendable {
    private let isGiven = Once()
    private let completion: @Sendable (Result<Credential, any Error>) -> Void

    init(completion: @escaping @Sendable (Result<Credential, any Error>) -> Void) { self.completion = completion }

    deinit { give(.failure(UnansweredRefreshError())) }

    func give(_ result: Result<Credential, any Error>) {
        if isGiven.isFirst() { completion(result) }
    }
}
