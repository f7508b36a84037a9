import Foundation

// `as NSError` reads the domain and the code from these two requirements of `Error`. `CustomNSError` would also work,
// but its user information dictionary would replace the texts of `LocalizedError`.
extension SessionError {
    /// The domain of the error as an `NSError`: `NSURLErrorDomain` for a cancellation, otherwise
    /// `MoyaSession.SessionError`.
    public var _domain: String { isExplicitlyCancelledError ? NSURLErrorDomain : "MoyaSession.SessionError" }

    /// The code of the error as an `NSError`: -999 for a cancellation, otherwise that of Alamofire's error, such as 11
    /// for server trust and 13 for a failed task.
    public var _code: Int { isExplicitlyCancelledError ? NSURLErrorCancelled : kind.rawValue }
}
