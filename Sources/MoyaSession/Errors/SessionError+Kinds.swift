extension SessionError {
    /// The cases, without their values, in the order in which Swift numbers Alamofire's: those with values first.
    enum Kind: Int {
        case createUploadableFailed, createURLRequestFailed, downloadedFileMoveFailed, invalidURL
        case multipartEncodingFailed, parameterEncodingFailed, parameterEncoderFailed, requestAdaptationFailed
        case requestRetryFailed, responseValidationFailed, responseSerializationFailed, serverTrustEvaluationFailed
        case sessionInvalidated, sessionTaskFailed, urlRequestValidationFailed
        case explicitlyCancelled, sessionDeinitialized
        // Not one of Alamofire's.
        case responseTooLarge
    }

    /// The case of the error.
    var kind: Kind {
        switch self {
        case .createUploadableFailed: .createUploadableFailed
        case .createURLRequestFailed: .createURLRequestFailed
        case .downloadedFileMoveFailed: .downloadedFileMoveFailed
        case .explicitlyCancelled: .explicitlyCancelled
        case .invalidURL: .invalidURL
        case .multipartEncodingFailed: .multipartEncodingFailed
        case .parameterEncodingFailed: .parameterEncodingFailed
        case .parameterEncoderFailed: .parameterEncoderFailed
        case .requestAdaptationFailed: .requestAdaptationFailed
        case .requestRetryFailed: .requestRetryFailed
        case .responseValidationFailed: .responseValidationFailed
        case .responseSerializationFailed: .responseSerializationFailed
        case .serverTrustEvaluationFailed: .serverTrustEvaluationFailed
        case .sessionDeinitialized: .sessionDeinitialized
        case .sessionInvalidated: .sessionInvalidated
        case .sessionTaskFailed: .sessionTaskFailed
        case .urlRequestValidationFailed: .urlRequestValidationFailed
        case .responseTooLarge: .responseTooLarge
        }
    }
}

extension SessionError {
    /// `true` if the error is `createUploadableFailed`.
    public var isCreateUploadableError: Bool { kind == .createUploadableFailed }

    /// `true` if the error is `createURLRequestFailed`.
    public var isCreateURLRequestError: Bool { kind == .createURLRequestFailed }

    /// `true` if the error is `downloadedFileMoveFailed`.
    public var isDownloadedFileMoveError: Bool { kind == .downloadedFileMoveFailed }

    /// `true` if the error is ``explicitlyCancelled``.
    public var isExplicitlyCancelledError: Bool { kind == .explicitlyCancelled }

    /// `true` if the error is `invalidURL`.
    public var isInvalidURLError: Bool { kind == .invalidURL }

    /// `true` if the error is `multipartEncodingFailed`.
    public var isMultipartEncodingError: Bool { kind == .multipartEncodingFailed }

    /// `true` if the error is `parameterEncodingFailed`.
    public var isParameterEncodingError: Bool { kind == .parameterEncodingFailed }

    /// `true` if the error is `parameterEncoderFailed`.
    public var isParameterEncoderError: Bool { kind == .parameterEncoderFailed }

    /// `true` if the error is `requestAdaptationFailed`.
    public var isRequestAdaptationError: Bool { kind == .requestAdaptationFailed }

    /// `true` if the error is `requestRetryFailed`.
    public var isRequestRetryError: Bool { kind == .requestRetryFailed }

    /// `true` if the error is `responseValidationFailed`.
    public var isResponseValidationError: Bool { kind == .responseValidationFailed }

    /// `true` if the error is `responseSerializationFailed`.
    public var isResponseSerializationError: Bool { kind == .responseSerializationFailed }

    /// `true` if the error is `serverTrustEvaluationFailed`.
    public var isServerTrustEvaluationError: Bool { kind == .serverTrustEvaluationFailed }

    /// `true` if the error is ``sessionDeinitialized``.
    public var isSessionDeinitializedError: Bool { kind == .sessionDeinitialized }

    /// `true` if the error is `sessionInvalidated`.
    public var isSessionInvalidatedError: Bool { kind == .sessionInvalidated }

    /// `true` if the error is `sessionTaskFailed`.
    public var isSessionTaskError: Bool { kind == .sessionTaskFailed }

    /// `true` if the error is `urlRequestValidationFailed`.
    public var isURLRequestValidationError: Bool { kind == .urlRequestValidationFailed }

    /// `true` if the error is `responseTooLarge`.
    public var isResponseTooLargeError: Bool { kind == .responseTooLarge }
}
