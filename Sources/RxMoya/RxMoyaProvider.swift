#if RxMoya
public import Moya
public import RxSwift

/// A provider whose calls are observables, as it was up to Moya 8.
///
/// It is here for code that subclasses it. New code uses `MoyaProvider` and its `rx`, and puts providers together
/// instead of subclassing them.
///
/// `@unchecked`: it adds nothing to what it inherits; a subclass answers for what it adds.
@available(
    *, deprecated, renamed: "MoyaProvider", message: "Use MoyaProvider, and its rx where an observable is wanted"
)
open class RxMoyaProvider<Target: TargetType>: MoyaProvider<Target>, @unchecked Sendable {
    /// Calls of a target, one for each subscription, as `rx.request(_:callbackQueue:)` makes them.
    @available(*, deprecated, renamed: "rx.request(_:)", message: "The result is a Single: add asObservable() for more")
    open func request(_ token: Target) -> Observable<Response> {
        rx.request(token).asObservable()
    }
}
#endif
