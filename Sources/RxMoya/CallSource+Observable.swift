#if RxMoya
import Moya
// RxSwift says of none of its types that they may cross threads. Its observers may, one event at a time, and that is
// how a subscription delivers its call.
@preconcurrency import RxSwift

extension CallSource {
    /// An observable whose every subscription makes a call, which disposal cancels.
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
