#if !canImport(ObjectiveC)
public import Foundation

/// Makes a `MoyaError` castable to `NSError`, as every error is on Apple platforms.
///
/// Without it, Swift 6.3 on Linux assumes that a cast from a typed error to `NSError` always succeeds, and stops the
/// program when it does not: `catch let error as NSError`, `error as? NSError`.
extension MoyaError: _ObjectiveCBridgeable {
    /// The error as an `NSError`, with its domain, code and user information.
    public func _bridgeToObjectiveC() -> NSError {
        let error: any Error = self
        return error as NSError
    }

    /// Returns no error: an `NSError` does not retain the original error.
    public static func _forceBridgeFromObjectiveC(_ source: NSError, result: inout MoyaError?) { result = nil }

    /// Returns no error: an `NSError` does not retain the original error.
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
