/// An event of an adapter's stream: a value or the end.
package enum CallEvent<Value: Sendable>: Sendable {
    case value(Value)
    case finished
    case failed(MoyaError)
}

/// The source of an adapter's stream: each subscription makes a call when it first requests a value.
package struct CallSource<Value: Sendable>: Sendable {
    /// Makes the call and delivers its events to the subscription; `nil` if the provider was released.
    let start: @Sendable (CallSubscription<Value>) -> (any Cancellable)?
    /// A call that was made before, and that every subscription cancels; `nil` if each makes one.
    private let existing: (any Cancellable)?

    /// Makes a source of a closure that makes the call, or starts an existing one, and delivers its events to the
    /// subscription.
    package init(
        of existing: (any Cancellable)? = nil,
        _ start: @escaping @Sendable (CallSubscription<Value>) -> (any Cancellable)?
    ) {
        self.existing = existing
        self.start = start
    }

    /// Adds a subscriber; nothing happens until it requests values.
    ///
    /// - Parameter receiver: Called with one event at a time, on the call's queue; with an immediate stub, or for a
    ///   value that had to wait for demand, inside ``CallSubscription/request(_:)``.
    package func subscription(_ receiver: @escaping CallSubscription<Value>.Receiver) -> CallSubscription<Value> {
        CallSubscription(start: start, of: existing, receiver: receiver)
    }
}
