/// What a subscriber of an adapter's stream is told: values, then an end.
package enum CallEvent<Value: Sendable>: Sendable {
    case value(Value)
    case finished
    case failed(MoyaError)
}

/// What an adapter makes a stream of: each subscription makes a call of its own, when it first asks for a value.
package struct CallSource<Value: Sendable>: Sendable {
    /// Makes the call and tells the subscription of it; `nil` when there is no provider left to make it.
    let start: @Sendable (CallSubscription<Value>) -> (any Cancellable)?

    /// Subscribes somebody, to whom nothing happens before values are asked for.
    ///
    /// - Parameter receiver: Told one event at a time, on the call's queue; inside
    ///   ``CallSubscription/request(_:)``, when a stub answers at once.
    package func subscription(_ receiver: @escaping CallSubscription<Value>.Receiver) -> CallSubscription<Value> {
        CallSubscription(start: start, receiver: receiver)
    }
}
