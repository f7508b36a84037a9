#if RxMoya
import Moya
// RxSwift does not declare its types as sendable. Its observers may be called from any thread, one event at a time,
// which is how a subscription delivers its call.
@preconcurrency import RxSwift

extension CallSource {
    /// An observable that makes a call for each subscription; disposal cancels the call.
    var observable: Observable<Value> {
        Observable.create { observer in
            let call = subscription { event, _ in
                switch event {
                case .value(let value): observer.onNext(value)
                case .finished: observer.onCompleted()
                case .failed(let error): observer.onError(error)
                }
            }
            call.request(.max)
            return Disposables.create(with: call.cancel)
        }
    }
}
#endif
