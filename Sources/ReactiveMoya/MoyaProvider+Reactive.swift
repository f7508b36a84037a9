#if ReactiveMoya
public import Foundation
public import Moya
public import ReactiveSwift

extension MoyaProvider: ReactiveExtensionsProvider {}

extension Reactive where Base: MoyaProviderType {
    /// Produces the response of a target; each start makes a call.
    ///
    /// Disposing of a start cancels its call. A call retains the provider until it is over; the producer does not.
    /// After the release of the provider, a new start gets no event.
    ///
    /// - Parameters:
    ///   - token: The target of the call.
    ///   - callbackQueue: The queue of the events: this one, else the provider's, else the main queue. With neither, an
    ///     immediate stub answers inside the start.
    public func request(
        _ token: Base.Target, callbackQueue: DispatchQueue? = nil
    ) -> SignalProducer<Response, MoyaError> {
        base.responses(of: token, callbackQueue: callbackQueue).producer
    }

    /// Produces the progress of a target's call; each start makes a call.
    ///
    /// The last value of a successful call has the response. Otherwise like ``request(_:callbackQueue:)``.
    public func requestWithProgress(
        _ token: Base.Target, callbackQueue: DispatchQueue? = nil
    ) -> SignalProducer<ProgressResponse, MoyaError> {
        base.progress(of: token, callbackQueue: callbackQueue).producer
    }
}
#endif
