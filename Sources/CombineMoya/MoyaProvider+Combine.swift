#if CombineMoya
public import Foundation
public import Moya

#if canImport(Combine)
public import Combine
#else
public import OpenCombine
#endif

extension MoyaProvider {
    /// Calls of a target, one for each subscription, made when its subscriber first requests a value.
    ///
    /// Cancelling a subscription cancels its call. The provider is not kept: released during a call, it ends the call
    /// as cancelled; released before, the subscriber never gets an event.
    ///
    /// - Parameters:
    ///   - target: The target of the call.
    ///   - callbackQueue: The queue of the values: this one, else the provider's, else the main queue. With neither, an
    ///     immediate stub answers inside the subscription.
    public func requestPublisher(
        _ target: Target, callbackQueue: DispatchQueue? = nil
    ) -> AnyPublisher<Response, MoyaError> {
        CallPublisher(source: responses(of: target, callbackQueue: callbackQueue)).eraseToAnyPublisher()
    }

    /// Calls of a target, one for each subscription, with their progress.
    ///
    /// The last value of a call that succeeds has the response. While a subscriber requests none, the newest value
    /// stands for those before it; a failure does not wait for demand. Otherwise as
    /// ``requestPublisher(_:callbackQueue:)``.
    public func requestWithProgressPublisher(
        _ target: Target, callbackQueue: DispatchQueue? = nil
    ) -> AnyPublisher<ProgressResponse, MoyaError> {
        CallPublisher(source: progress(of: target, callbackQueue: callbackQueue)).eraseToAnyPublisher()
    }
}
#endif
