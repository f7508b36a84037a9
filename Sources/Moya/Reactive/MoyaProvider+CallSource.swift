import Foundation

extension MoyaProvider {
    /// A source of the elements of a sequence, which is made for each subscription.
    ///
    /// An element is read when the previous one was taken, and delivered when the subscriber has requested it. Only
    /// the call retains the provider: after its release, a subscription gets no event.
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
