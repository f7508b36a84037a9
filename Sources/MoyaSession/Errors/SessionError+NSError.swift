import Foundation

// `as NSError` reads the domain and the code from these two requirements of `Error`. `CustomNSError` would also work,
// but its user information dictionary would replace the texts of `LocalizedError`.
extension SessionError {
    /// The domain of the error as an `NSError`: `NSURLErrorDomain` for a cancellation, otherwise
    /// `MoyaSession.SessionError`.
    public var _domain: String { isExplicitlyCancelledError ? NSURLErrorDomain : "MoyaSession.SessionError" }

    /// The code of the error as an `NSError`: -999 for a cancellation, otherwise the index of the case in the
    /// declaration.
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
