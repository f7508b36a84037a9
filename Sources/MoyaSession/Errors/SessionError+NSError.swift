import Foundation

// `as NSError` takes the domain and the code from these two requirements of `Error`. `CustomNSError` would do as well,
// but it puts a user information dictionary in the place where `LocalizedError` has its texts.
extension SessionError {
    /// The domain that the error has as an `NSError`: `NSURLErrorDomain` when cancelled, else `MoyaSession.SessionError`.
    public var _domain: String { isExplicitlyCancelledError ? NSURLErrorDomain : "MoyaSession.SessionError" }

    /// The code that the error has as an `NSError`: -999 when cancelled, else the case's place in the declaration.
    public var _code: Int {
        switch self {
        case .createUploadableFailed: 0
        case .createURLRequestFailed: 1
        case .downloadedFileMoveFailed: 2
        case .explicitlyCancelled: NSURLErrorCancelled
        case .invalidURL: 4
        case .multipartEncodingFailed: 5
        case .parameterEncodingFailed: 6
        case .parameterEncoderFailed: 7
        case .requestAdaptationFailed: 8
        case .requestRetryFailed: 9
        case .responseValidationFailed: 10
        case .responseSerializationFailed: 11
        case .serverTrustEvaluationFailed: 12
        case .sessionDeinitialized: 13
        case .sessionInvalidated: 14
        case .sessionTaskFailed: 15
        case .urlRequestValidationFailed: 16
        case .responseTooLarge: 17
        }
    }
}
