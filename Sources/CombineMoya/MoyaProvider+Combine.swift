#if CombineMoya
public import Foundation
public import Moya

#if canImport(Combine)
public import Combine
#else
public import OpenCombine
#endif

extension MoyaProvider {
    /// Publishes the response of a target; each subscription makes a call when its subscriber first requests a value.
    ///
    /// Cancelling a subscription cancels its call. A call retains the provider until it is over; the publisher does
    /// not. After the release of the provider, a new subscriber gets no event.
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

    /// Publishes the progress of a target's call; each subscription makes a call.
    ///
    /// The last value of a successful call has the response. Without demand, the newest value replaces the previous
    /// ones, and arrives on the thread that requests it; a failure does not wait for demand. Otherwise like
    /// ``requestPublisher(_:callbackQueue:)``.
    public func requestWithProgressPublisher(
        _ target: Target, callbackQueue: DispatchQueue? = nil
    ) -> AnyPublisher<ProgressResponse, MoyaError> {
        CallPublisher(source: progress(of: target, callbackQueue: callbackQueue)).eraseToAnyPublisher()
    }
}
#endif
