#if RxMoya
public import Moya
public import RxSwift

/// Operators on the progress of a call.
extension ObservableType where Element == ProgressResponse {
    /// The response, once it has arrived.
    public func filterCompleted() -> Observable<Response> { compactMap(\.response) }

    /// The progress of the call, from 0 to 1, until the response arrives.
    public func filterProgress() -> Observable<Double> { compactMap(\.progressUntilCompleted) }
}
#endif
