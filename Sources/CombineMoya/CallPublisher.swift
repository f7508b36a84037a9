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
        source.subscribe(subscriber) { .failure($0) }
    }
}

extension CallSource {
    /// Subscribes to the values; `failed` makes the completion of a failure.
    func subscribe<S: Subscriber>(
        _ subscriber: S, failed: @escaping @Sendable (MoyaError) -> Subscribers.Completion<S.Failure>
    ) where S.Input == Value {
        let box = SubscriberBox(subscriber: subscriber, failed: failed)
        subscriber.receive(subscription: DemandedCall(subscription(box.receive)))
    }
}

/// One subscription: it forwards demand, and sends a value only in response to demand.
private final class DemandedCall<Value: Sendable>: Subscription {
    private let call: CallSubscription<Value>

    init(_ call: CallSubscription<Value>) { self.call = call }

    func request(_ demand: Subscribers.Demand) { call.request(demand.count) }

    func cancel() { call.cancel() }
}

/// A subscriber in a form that a subscription can deliver to.
///
/// `@unchecked`: Combine allows a subscriber to be called from any thread, one event at a time, as here; its type does
/// not declare that.
private struct SubscriberBox<S: Subscriber>: @unchecked Sendable where S.Input: Sendable {
    let subscriber: S
    let failed: @Sendable (MoyaError) -> Subscribers.Completion<S.Failure>

    @Sendable func receive(_ event: CallEvent<S.Input>, of call: CallSubscription<S.Input>) {
        switch event {
        case .value(let value): call.request(subscriber.receive(value).count)
        case .finished: subscriber.receive(completion: .finished)
        case .failed(let error): subscriber.receive(completion: failed(error))
        }
    }
}

extension Subscribers.Demand {
    /// The number of requested values; `.max` is unlimited.
    fileprivate var count: Int { max ?? .max }
}
#endif
