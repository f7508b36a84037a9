import Foundation
import MoyaTransport

extension MoyaProviderType {
    /// A source of a target's response; each subscription makes a call.
    ///
    /// The provider is not retained: after its release, a subscription gets no event.
    package func responses(of target: Target, callbackQueue: DispatchQueue?) -> CallSource<Response> {
        CallSource { [weak self] subscription in
            self?.request(target, callbackQueue: callbackQueue, progress: nil) { result in
                subscription.finish(with: result.map { $0 })
            }
        }
    }

    /// A source of a call's progress; the last value of a successful call has the response.
    ///
    /// The provider is not retained: after its release, a subscription gets no event.
    package func progress(of target: Target, callbackQueue: DispatchQueue?) -> CallSource<ProgressResponse> {
        CallSource { [weak self] subscription in
            let last = LastProgress()
            return self?.request(
                target, callbackQueue: callbackQueue,
                progress: { subscription.receive(last.update(with: $0)) },
                completion: { subscription.finish(with: $0.map { _ in nil }) })
        }
    }
}

/// The last known parts of a call's progress, for an event that lacks one.
private final class LastProgress: Sendable {
    private let last = Lock(ProgressResponse())

    func update(with event: ProgressResponse) -> ProgressResponse {
        last.withLock { last in
            last = ProgressResponse(
                progress: event.progressObject ?? last.progressObject, response: event.response ?? last.response)
            return last
        }
    }
}
