#if RxMoya
public import Foundation
public import Moya
public import RxSwift

extension MoyaProvider: ReactiveCompatible {}

extension Reactive where Base: MoyaProviderType {
    /// Emits the response of a target; each subscription makes a call.
    ///
    /// Disposing of a subscription cancels its call. A call retains the provider until it is over; the single does not.
    /// After the release of the provider, a new subscription gets no event.
    ///
    /// - Parameters:
    ///   - token: The target of the call.
    ///   - callbackQueue: The queue of the events: this one, else the provider's, else the main queue. With neither, an
    ///     immediate stub answers inside the subscription.
    /// - Returns: A single that fails only with `MoyaError`.
    public func request(_ token: Base.Target, callbackQueue: DispatchQueue? = nil) -> Single<Response> {
        base.responses(of: token, callbackQueue: callbackQueue).observable.asSingle()
    }

    /// Emits the progress of a target's call; each subscription makes a call.
    ///
    /// The last element of a successful call has the response. Otherwise like ``request(_:callbackQueue:)``.
    public func requestWithProgress(
        _ token: Base.Target, callbackQueue: DispatchQueue? = nil
    ) -> Observable<ProgressResponse> {
        base.progress(of: token, callbackQueue: callbackQueue).observable
    }
}
#endif
