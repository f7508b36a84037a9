import Foundation

extension MoyaProvider {
    /// Streams, each of which gives the elements of a sequence that is made for it.
    ///
    /// An element is read when the one before was taken, and given when the subscriber has asked for it. The provider is not
    /// kept: when it is gone before a subscription, that never gets an event; released during a stream, it ends it as
    /// cancelled.
    ///
    /// - Parameter sequence: Makes the sequence.
    package func elements<Element>(
        callbackQueue: DispatchQueue?, of sequence: @escaping @Sendable (MoyaProvider) -> ResponseSequence<Element>
    ) -> CallSource<Element> {
        CallSource { [weak self] subscription in
            guard let self else { return nil }
            return sequence(self).deliver(
                on: callbackQueue, demand: { await subscription.demand() }, { subscription.receive($0) },
                completion: { subscription.finish(with: $0.map { nil }) })
        }
    }
}
