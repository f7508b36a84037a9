#if CombineMoya
import Moya

#if canImport(Combine)
import Combine
#else
import OpenCombine
#endif

/// A publisher that makes a call for each subscription.
struct CallPublisher<Output: Sendable>: Publisher {
    typealias Failure = MoyaError

    let source: CallSource<Output>

    func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == MoyaError {
        subscriber.receive(subscription: DemandedCall(source, for: subscriber))
    }
}

/// One subscription: it forwards demand, and sends a value only in response to demand.
private final class DemandedCall<Value: Sendable>: Subscription {
    private let call: CallSubscription<Value>

    init<S: Subscriber>(_ source: CallSource<Value>, for subscriber: S) where S.Input == Value, S.Failure == MoyaError {
        call = source.subscription(SubscriberBox(subscriber: subscriber).receive)
    }

    func request(_ demand: Subscribers.Demand) { call.request(demand.count) }

    func cancel() { call.cancel() }
}

/// A subscriber in a form that a subscription can deliver to.
///
/// `@unchecked`: Combine allows a subscriber to be called from any thread, one event at a time, as here; its type does
/// not declare that.
private struct SubscriberBox<S: Subscriber>: @unchecked Sendable where S.Input: Sendable, S.Failure == MoyaError {
    let subscriber: S

    @Sendable func receive(_ event: CallEvent<S.Input>, of call: CallSubscription<S.Input>) {
        switch event {
        case .value(let value): call.request(subscriber.receive(value).count)
        case .finished: subscriber.receive(completion: .finished)
        case .failed(let error): subscriber.receive(completion: .failure(error))
        }
    }
}

extension Subscribers.Demand {
    /// The number of requested values; `.max` is unlimited.
    fileprivate var count: Int { max ?? .max }
}
#endif
