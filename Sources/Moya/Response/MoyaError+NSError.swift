#if !canImport(ObjectiveC)
public import Foundation

/// Lets a `MoyaError` be cast to `NSError`, as every error can be on Apple platforms.
///
/// Without it, Swift 6.3 on Linux takes a cast from an error of known type to `NSError` for one that always succeeds,
/// and then stops the program when it does not: `catch let error as NSError`, `error as? NSError`.
extension MoyaError: _ObjectiveCBridgeable {
    /// The error as an `NSError`, with its domain, code and user information.
    public func _bridgeToObjectiveC() -> NSError {
        let error: any Error = self
        return error as NSError
    }

    /// Gives nothing: an `NSError` does not keep the error that it was made of.
    public static func _forceBridgeFromObjectiveC(_ source: NSError, result: inout MoyaError?) { result = nil }

    /// Gives nothing: an `NSError` does not keep the error that it was made of.
    public static func _conditionallyBridgeFromObjectiveC(_ source: NSError, result: inout MoyaError?) -> Bool {
        result = nil
        return false
    }

    /// Wraps the error.
    public static func _unconditionallyBridgeFromObjectiveC(_ source: NSError?) -> MoyaError {
        .underlying(source ?? NSError(domain: NSURLErrorDomain, code: NSURLErrorUnknown), nil)
    }
}
#endif
