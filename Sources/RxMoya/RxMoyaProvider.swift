#if RxMoya
public import Moya
public import RxSwift

/// A provider whose calls are observables, as up to Moya 8.
///
/// It exists for code that subclasses it. New code uses `MoyaProvider` and its `rx`, and middleware instead of
/// subclasses.
///
/// `@unchecked`: it adds no state; a subclass is responsible for its own.
@available(
    *, deprecated, renamed: "MoyaProvider", message: "Use MoyaProvider, and its rx where an observable is wanted"
)
open class RxMoyaProvider<Target: TargetType>: MoyaProvider<Target>, @unchecked Sendable {
    /// Emits the response of a target, like `rx.request(_:callbackQueue:)`.
    @available(*, deprecated, renamed: "rx.request(_:)", message: "The result is a Single: add asObservable() for more")
    open func request(_ token: Target) -> Observable<Response> {
        rx.request(token).asObservable()
    }
}
#endif
