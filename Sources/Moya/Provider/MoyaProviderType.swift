public import Foundation

/// Called once with the end of a call.
///
/// It is not `@Sendable`, so that a closure handed to a function of the app's keeps the actor that it was written on, as
/// it does in Moya 15. Swift 6 code that hands a completion on to a provider names it ``SendableCompletion``.
public typealias Completion = (_ result: Result<Response, MoyaError>) -> Void

/// A ``Completion`` that may run on any thread, as the provider takes it.
public typealias SendableCompletion = @Sendable (_ result: Result<Response, MoyaError>) -> Void

/// Called as bytes move, and a last time before the completion.
///
/// It is not `@Sendable`, for the same reason as ``Completion``.
public typealias ProgressBlock = (_ progress: ProgressResponse) -> Void

/// A ``ProgressBlock`` that may run on any thread, as the provider takes it.
public typealias SendableProgressBlock = @Sendable (_ progress: ProgressResponse) -> Void

/// Anything that calls targets as a ``MoyaProvider`` does.
@preconcurrency
public protocol MoyaProviderType: AnyObject, Sendable {
    /// The type of the targets.
    associatedtype Target: TargetType

    /// Calls a target; see ``MoyaProvider/request(_:callbackQueue:progress:completion:)``.
    @preconcurrency
    func request(
        _ target: Target, callbackQueue: DispatchQueue?, progress: SendableProgressBlock?,
        completion: @escaping SendableCompletion
    ) -> any Cancellable
}
