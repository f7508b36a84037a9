#if RxMoya
public import Foundation
public import Moya
public import RxSwift

extension MoyaProvider: ReactiveCompatible {}

extension Reactive where Base: MoyaProviderType {
    /// Calls of a target, one for each subscription.
    ///
    /// Disposing of a subscription cancels its call. The provider is not kept: released during a call, it ends the call
    /// as cancelled; released before a subscription, that never gets an event.
    ///
    /// - Parameters:
    ///   - token: The target of the call.
    ///   - callbackQueue: The queue of the events: this one, else the provider's, else the main queue. With neither, an
    ///     immediate stub answers inside the subscription.
    /// - Returns: A single that fails with `MoyaError` only.
    public func request(_ token: Base.Target, callbackQueue: DispatchQueue? = nil) -> Single<Response> {
        base.responses(of: token, callbackQueue: callbackQueue).observable.asSingle()
    }

    /// Calls of a target, one for each subscription, with their progress.
    ///
    /// The last element of a call that succeeds has the response. Otherwise as ``request(_:callbackQueue:)``.
    public func requestWithProgress(
        _ token: Base.Target, callbackQueue: DispatchQueue? = nil
    ) -> Observable<ProgressResponse> {
        base.progress(of: token, callbackQueue: callbackQueue).observable
    }
}
#endif
