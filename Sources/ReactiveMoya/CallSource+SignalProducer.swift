#if ReactiveMoya
import Moya
// ReactiveSwift does not declare its types as sendable. Its observers may be called from any thread, one event at a
// time, which is how a subscription delivers its call.
@preconcurrency import ReactiveSwift

extension CallSource {
    /// A producer that makes a call for each start; disposal cancels the call.
    var producer: SignalProducer<Value, MoyaError> {
        SignalProducer { observer, lifetime in
            let call = subscription { event, _ in
                switch event {
                case .value(let value): observer.send(value: value)
                case .finished: observer.sendCompleted()
                case .failed(let error): observer.send(error: error)
                }
            }
            // Registered before the call is made, so that a disposal within the first event also cancels it. Releasing
            // the observer would interrupt, which would be wrong after the provider's release.
            lifetime.observeEnded {
                call.cancel()
                withExtendedLifetime(observer) {}
            }
            call.request(.max)
        }
    }
}
#endif
