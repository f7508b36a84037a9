#if CombineMoya
public import Moya

#if canImport(Combine)
public import Combine
#else
public import OpenCombine
#endif

/// Operators on the progress of a call.
extension AnyPublisher where Output == ProgressResponse, Failure == MoyaError {
    /// The response, once it has arrived.
    public func filterCompleted() -> AnyPublisher<Response, MoyaError> {
        compactMap { $0.response }.eraseToAnyPublisher()
    }

    /// The progress of the call, from 0 to 1, until the response arrives.
    public func filterProgress() -> AnyPublisher<Double, MoyaError> {
        compactMap { $0.progressUntilCompleted }.eraseToAnyPublisher()
    }
}
#endif
