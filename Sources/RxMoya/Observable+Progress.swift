#if RxMoya
public import Moya
public import RxSwift

/// What can be made of the progress of a call.
extension ObservableType where Element == ProgressResponse {
    /// The response, once it is there.
    public func filterCompleted() -> Observable<Response> { compactMap(\.response) }

    /// How far the call has come, from 0 to 1, until the response is there.
    public func filterProgress() -> Observable<Double> { compactMap(\.progressUntilCompleted) }
}
#endif
