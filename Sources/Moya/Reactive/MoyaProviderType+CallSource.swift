import Foundation
import MoyaTransport

extension MoyaProviderType {
    /// A source of a target's response; each subscription makes a call.
    ///
    /// Only the call retains the provider: after its release, a subscription gets no event.
    package func responses(of target: Target, callbackQueue: DispatchQueue?) -> CallSource<Response> {
        CallSource { [weak self] subscription in
            self?.request(target, callbackQueue: callbackQueue, progress: nil) { result in
                subscription.finish(with: result.map { $0 })
            }
        }
    }

    /// A source of a call's progress; the last value of a successful call has the response.
    ///
    /// Only the call retains the provider: after its release, a subscription gets no event.
    package func progress(of target: Target, callbackQueue: DispatchQueue?) -> CallSource<ProgressResponse> {
        CallSource { [weak self] subscription in
            // The last known parts of the progress, for an event that lacks one.
            let last = Lock(ProgressResponse())
            return self?.request(
                target, callbackQueue: callbackQueue,
                progress: { event in
                    let known = last.withLock { last in
                        // An event keeps its own count, though the object is that of all events.
                        let counted = event.progressObject == nil ? last : event
                        last = (event.response ?? last.response).map(counted.with) ?? counted
                        return last
                    }
                    subscription.receive(known)
                },
                completion: { subscription.finish(with: $0.map { _ in nil }) })
        }
    }
}
