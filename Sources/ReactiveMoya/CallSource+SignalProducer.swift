#if ReactiveMoya
import Moya
// ReactiveSwift says of none of its types that they may cross threads. Its observers may, one event at a time, and that
// is how a subscription delivers its call.
@preconcurrency import ReactiveSwift

extension CallSource {
    /// A producer whose every start makes a call, which disposal cancels.
    var producer: SignalProducer<Value, MoyaError> {
        SignalProducer { observer, lifetime in
            let call = subscription { event, _ in
                switch event {
                case .value(let value): observer.send(value: value)
                case .finished: observer.sendCompleted()
                case .failed(let error): observer.send(error: error)
                }
            }
            // Known before the call is made, so that a disposal by the first event, too, cancels it. A released
            // observer interrupts, which would be wrong when the provider is gone.
            lifetime.observeEnded {
                call.cancel()
                withExtendedLifetime(observer) {}
            }
            call.request(.max)
        }
    }
}
#endif
