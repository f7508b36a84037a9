#if ReactiveMoya
public import Foundation
public import Moya
public import ReactiveSwift

extension MoyaProvider: ReactiveExtensionsProvider {}

extension Reactive where Base: MoyaProviderType {
    /// Calls of a target, one for each start of the producer.
    ///
    /// Disposing of what a start returns cancels its call. The provider is not kept: released during a call, it ends
    /// the call as cancelled; released before a start, that never gets an event.
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

    /// Calls of a target, one for each start of the producer, with their progress.
    ///
    /// The last value of a call that succeeds has the response. Otherwise as ``request(_:callbackQueue:)``.
    public func requestWithProgress(
        _ token: Base.Target, callbackQueue: DispatchQueue? = nil
    ) -> SignalProducer<ProgressResponse, MoyaError> {
        base.progress(of: token, callbackQueue: callbackQueue).producer
    }
}
#endif
