public import Foundation

/// The name of ``SessionError`` in Moya 15 code.
public typealias AFError = SessionError

extension Error {
    /// The error as a ``SessionError``, if it is one or represents a cancelled call (`NSURLErrorDomain` -999).
    public var asAFError: AFError? { asSessionError }

    /// The error as a ``SessionError``; any other error becomes the cause of one.
    ///
    /// It never traps: any other error becomes the cause of a ``SessionError/sessionTaskFailed(error:)``.
    ///
    /// - Parameters:
    ///   - message: Ignored.
    ///   - file: Ignored.
    ///   - line: Ignored.
    public func asAFError(
        orFailWith message: @autoclosure () -> String, file: StaticString = #file, line: UInt = #line
    ) -> AFError {
        asSessionError ?? .sessionTaskFailed(error: self)
    }

    /// The error as a ``SessionError``, if it is one or represents a cancelled call (`NSURLErrorDomain` -999).
    public var asSessionError: SessionError? {
        if let error = self as? SessionError { return error }
        return _domain == NSURLErrorDomain && _code == NSURLErrorCancelled ? .explicitlyCancelled : nil
    }
}

extension SessionError {
    /// The underlying error; for a failed retry, the retrier's.
    public var underlyingError: (any Error)? {
        switch self {
        case .createUploadableFailed(let error), .createURLRequestFailed(let error),
            .downloadedFileMoveFailed(let error, _, _), .requestAdaptationFailed(let error),
            .requestRetryFailed(let error, _), .sessionTaskFailed(let error):
            error
        case .sessionInvalidated(let error): error
        case .multipartEncodingFailed(let reason): reason.underlyingError
        case .parameterEncodingFailed(.jsonEncodingFailed(let error)),
            .parameterEncodingFailed(.customEncodingFailed(let error)),
            .parameterEncoderFailed(.encoderFailed(let error)),
            .responseValidationFailed(.customValidationFailed(let error)),
            .responseSerializationFailed(.customSerializationFailed(let error)),
            .responseSerializationFailed(.jsonSerializationFailed(let error)),
            .responseSerializationFailed(.decodingFailed(let error)),
            .serverTrustEvaluationFailed(.customEvaluationFailed(let error)):
            error
        case .serverTrustEvaluationFailed(.trustEvaluationFailed(let error)): error
        case .explicitlyCancelled, .invalidURL, .parameterEncodingFailed, .parameterEncoderFailed,
            .responseValidationFailed, .responseSerializationFailed, .responseTooLarge, .serverTrustEvaluationFailed,
            .sessionDeinitialized, .urlRequestValidationFailed:
            nil
        }
    }

    /// The file or URL of the error.
    public var url: URL? {
        switch self {
        case .multipartEncodingFailed(let reason): reason.url
        case .responseValidationFailed(.dataFileReadFailed(let url)),
            .responseSerializationFailed(.inputFileReadFailed(let url)),
            .urlRequestValidationFailed(.uploadFileNotReadable(let url)):
            url
        default: nil
        }
    }

    /// The value that could not be made a URL.
    public var urlConvertible: (any URLConvertible)? {
        if case .invalidURL(let url) = self { url } else { nil }
    }

    /// The content types that validation accepts.
    public var acceptableContentTypes: [String]? {
        switch self {
        case .responseValidationFailed(.missingContentType(let types)),
            .responseValidationFailed(.unacceptableContentType(let types, _)):
            types
        default: nil
        }
    }

    /// The content type that validation refused.
    public var responseContentType: String? {
        if case .responseValidationFailed(.unacceptableContentType(_, let type)) = self { type } else { nil }
    }

    /// The status code that validation refused.
    public var responseCode: Int? {
        if case .responseValidationFailed(.unacceptableStatusCode(let code)) = self { code } else { nil }
    }

    /// The encoding in which a response is not valid text.
    public var failedStringEncoding: String.Encoding? {
        if case .responseSerializationFailed(.stringSerializationFailed(let encoding)) = self { encoding } else { nil }
    }

    /// The data to resume a download, which an error does not hold.
    @available(*, unavailable, message: "Read resumeData of the download or of its response")
    public var downloadResumeData: Data? { nil }

    /// The downloaded file that could not be moved.
    public var sourceURL: URL? {
        if case .downloadedFileMoveFailed(_, let source, _) = self { source } else { nil }
    }

    /// The destination of the downloaded file that could not be moved.
    public var destinationURL: URL? {
        if case .downloadedFileMoveFailed(_, _, let destination) = self { destination } else { nil }
    }
}

extension SessionError.MultipartEncodingFailureReason {
    var underlyingError: (any Error)? {
        switch self {
        case .bodyPartFileNotReachableWithError(_, let error), .bodyPartFileSizeQueryFailedWithError(_, let error),
            .outputStreamWriteFailed(let error), .inputStreamReadFailed(let error):
            error
        default: nil
        }
    }

    var url: URL? {
        switch self {
        case .bodyPartURLInvalid(let url), .bodyPartFilenameInvalid(let url), .bodyPartFileNotReachable(let url),
            .bodyPartFileNotReachableWithError(let url, _), .bodyPartFileIsDirectory(let url),
            .bodyPartFileSizeNotAvailable(let url), .bodyPartFileSizeQueryFailedWithError(let url, _),
            .bodyPartInputStreamCreationFailed(let url), .outputStreamCreationFailed(let url),
            .outputStreamFileAlreadyExists(let url), .outputStreamURLInvalid(let url):
            url
        case .bodyPartHeaderInvalid, .outputStreamWriteFailed, .inputStreamReadFailed: nil
        }
    }
}
