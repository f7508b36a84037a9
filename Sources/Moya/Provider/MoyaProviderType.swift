public import Foundation

/// Receives the result of a call, once.
///
/// The type is not `@Sendable`, so that a closure passed to an app's function keeps the actor isolation of its context,
/// as in Moya 15. Swift 6 code that passes a completion on to a provider uses ``SendableCompletion``.
public typealias Completion = (_ result: Result<Response, MoyaError>) -> Void

/// A ``Completion`` that may run on any thread, as providers require.
public typealias SendableCompletion = @Sendable (_ result: Result<Response, MoyaError>) -> Void

/// Receives the progress of a call as bytes are transferred, and once more before the completion.
///
/// The type is not `@Sendable`, for the same reason as ``Completion``.
public typealias ProgressBlock = (_ progress: ProgressResponse) -> Void

/// A ``ProgressBlock`` that may run on any thread, as providers require.
public typealias SendableProgressBlock = @Sendable (_ progress: ProgressResponse) -> Void

/// A type that calls targets as a ``MoyaProvider`` does.
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
