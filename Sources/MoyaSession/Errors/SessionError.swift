public import Foundation

/// An error between a request and its response.
///
///     building   invalidURL  createURLRequestFailed  urlRequestValidationFailed
///                parameterEncodingFailed  parameterEncoderFailed
///                multipartEncodingFailed  createUploadableFailed
///     deciding   requestAdaptationFailed  requestRetryFailed
///     moving     sessionTaskFailed  serverTrustEvaluationFailed
///     answering  responseValidationFailed  responseSerializationFailed  downloadedFileMoveFailed
///                responseTooLarge
///     ending     explicitlyCancelled  sessionDeinitialized  sessionInvalidated
///
/// As an `NSError`, ``explicitlyCancelled`` is `NSURLErrorDomain` -999.
public indirect enum SessionError: Error {
    /// The file or stream of an upload could not be prepared.
    case createUploadableFailed(error: any Error)
    /// A `URLRequestConvertible` threw an error.
    case createURLRequestFailed(error: any Error)
    /// A downloaded file could not be moved to its destination.
    case downloadedFileMoveFailed(error: any Error, source: URL, destination: URL)
    /// The request was cancelled.
    case explicitlyCancelled
    /// A `URLConvertible` contains no valid URL.
    case invalidURL(url: any URLConvertible)
    /// A multipart body could not be built.
    case multipartEncodingFailed(reason: MultipartEncodingFailureReason)
    /// A `ParameterEncoding` failed.
    case parameterEncodingFailed(reason: ParameterEncodingFailureReason)
    /// A `ParameterEncoder` failed.
    case parameterEncoderFailed(reason: ParameterEncoderFailureReason)
    /// A `RequestAdapter` failed.
    case requestAdaptationFailed(error: any Error)
    /// A `RequestRetrier` returned an error.
    case requestRetryFailed(retryError: any Error, originalError: any Error)
    /// The response is unacceptable.
    case responseValidationFailed(reason: ResponseValidationFailureReason)
    /// The response could not be converted to a value.
    case responseSerializationFailed(reason: ResponseSerializationFailureReason)
    /// The server is not trusted; no byte of the request was sent.
    case serverTrustEvaluationFailed(reason: ServerTrustFailureReason)
    /// The session was released during the request.
    case sessionDeinitialized
    /// The session was invalidated.
    case sessionInvalidated(error: (any Error)?)
    /// The exchange failed; the error is a `URLError` whose underlying error is the `TransportFailure`.
    case sessionTaskFailed(error: any Error)
    /// The `URLRequest` may not be sent.
    case urlRequestValidationFailed(reason: URLRequestValidationFailureReason)
    /// The response body is longer, after decoding, than the `maximumResponseBytes` of the request.
    case responseTooLarge(maximumBytes: Int)
}

extension SessionError {
    /// The reason that a multipart body could not be built.
    public enum MultipartEncodingFailureReason: Sendable {
        /// The part's URL is not a file URL.
        case bodyPartURLInvalid(url: URL)
        /// The file has no name, or no extension that determines a type.
        case bodyPartFilenameInvalid(in: URL)
        /// The file does not exist.
        case bodyPartFileNotReachable(at: URL)
        /// The file's properties could not be read.
        case bodyPartFileNotReachableWithError(atURL: URL, error: any Error)
        /// The file is a directory.
        case bodyPartFileIsDirectory(at: URL)
        /// The file's size is unknown.
        case bodyPartFileSizeNotAvailable(at: URL)
        /// The file's size could not be read.
        case bodyPartFileSizeQueryFailedWithError(forURL: URL, error: any Error)
        /// The file could not be opened.
        case bodyPartInputStreamCreationFailed(for: URL)
        /// A name, file name, MIME type, field or boundary is invalid.
        ///
        /// A MIME type or field value contains a control character, the name of a field is not a token, a name or file
        /// name contains NUL, a name ends in an unescaped backslash, a file name has a component `..`, or the boundary
        /// is not 1 to 70 of the characters of RFC 2046.
        case bodyPartHeaderInvalid(value: String)
        /// The output file could not be opened.
        case outputStreamCreationFailed(for: URL)
        /// The output file already exists.
        case outputStreamFileAlreadyExists(at: URL)
        /// The output URL is not a file URL.
        case outputStreamURLInvalid(url: URL)
        /// Writing failed.
        case outputStreamWriteFailed(error: any Error)
        /// Reading a part failed, or it had more or fewer bytes than declared.
        case inputStreamReadFailed(error: any Error)
    }

    /// The reason that a `ParameterEncoding` failed.
    public enum ParameterEncodingFailureReason: Sendable {
        /// The request has no URL for the query.
        case missingURL
        /// The parameters cannot be written as JSON.
        case jsonEncodingFailed(error: any Error)
        /// A custom encoding failed, or values nest too deep for the query (``NestingError``).
        case customEncodingFailed(error: any Error)
    }

    /// The reason that a `ParameterEncoder` failed.
    public enum ParameterEncoderFailureReason: Sendable {
        /// A missing component of the request.
        public enum RequiredComponent: Sendable {
            /// The URL.
            case url
            /// A supported method.
            case httpMethod(rawValue: String)
        }

        /// The request lacks a component that the encoder needs.
        case missingRequiredComponent(RequiredComponent)
        /// The encoder threw.
        case encoderFailed(error: any Error)
    }

    /// The reason that a response is unacceptable.
    public enum ResponseValidationFailureReason: Sendable {
        /// A download has no file.
        case dataFileNil
        /// A download's file cannot be read.
        case dataFileReadFailed(at: URL)
        /// The response has no content type, and only some types are acceptable.
        case missingContentType(acceptableContentTypes: [String])
        /// The content type is not acceptable.
        case unacceptableContentType(acceptableContentTypes: [String], responseContentType: String)
        /// The status code is not acceptable.
        case unacceptableStatusCode(code: Int)
        /// A custom validation failed.
        case customValidationFailed(error: any Error)
    }

    /// The reason that a response could not be converted to a value.
    public enum ResponseSerializationFailureReason: Sendable {
        /// There was no data, or not the required length.
        case inputDataNilOrZeroLength
        /// There was no file.
        case inputFileNil
        /// The file cannot be read.
        case inputFileReadFailed(at: URL)
        /// The bytes are not text in that encoding.
        case stringSerializationFailed(encoding: String.Encoding)
        /// The bytes are not JSON.
        case jsonSerializationFailed(error: any Error)
        /// The value could not be decoded.
        case decodingFailed(error: any Error)
        /// The response is empty, which is allowed, but its type has no empty value.
        case invalidEmptyResponse(type: String)
        /// A custom serializer failed.
        case customSerializationFailed(error: any Error)
    }

    /// The reason that a server is not trusted.
    public enum ServerTrustFailureReason: Sendable {
        /// Every host must be evaluated, and this one has no evaluator.
        case noRequiredEvaluator(host: String)
        /// There are no certificates to pin.
        case noCertificatesFound
        /// There are no public keys to pin.
        case noPublicKeysFound
        /// The platform does not trust the chain, or the certificate does not name the host.
        case trustEvaluationFailed(error: (any Error)?)
        /// Never thrown: if revocation cannot be checked, the result is unknown, as without a response.
        case revocationPolicyCreationFailed
        /// None of the server's certificates is pinned.
        case certificatePinningFailed(host: String, pinnedCertificates: Int, serverCertificates: Int)
        /// None of the server's public keys is pinned.
        case publicKeyPinningFailed(host: String, pinnedKeys: Int, serverKeys: Int)
        /// A setting of the evaluator is invalid, such as a malformed pinned certificate.
        case invalidEvaluator(setting: String, problem: String)
        /// A custom evaluator failed.
        case customEvaluationFailed(error: any Error)
    }

    /// The reason that a `URLRequest` may not be sent.
    public enum URLRequestValidationFailureReason: Sendable {
        /// A GET request has a body.
        case bodyDataInGETRequest(Data)
        /// The request has no URL, or one without a host.
        case missingHost(url: String)
        /// The URL's scheme is neither `http` nor `https`.
        case unsupportedScheme(String)
        /// The method is not a token (RFC 9110 section 9.1), or is CONNECT, which requests a tunnel from a proxy.
        case invalidMethod(String)
        /// A header field's name is not a token, its value contains a control character (RFC 9110 section 5.5), or it
        /// is `Upgrade`.
        case invalidHeaderField(name: String)
        /// A user name or a password cannot be sent by the scheme that the server requires.
        case invalidCredential(problem: String)
        /// ``CredentialPolicy/refusesBasicWithoutTLS`` is set, and a password would be sent without TLS.
        case basicWithoutTLS(host: String)
        /// The file to upload does not exist, is a directory, or cannot be read.
        case uploadFileNotReadable(url: URL)
        /// The session's configuration contains a setting that cannot be honoured.
        case unsupportedSetting(UnsupportedSetting)
    }
}

extension SessionError {
    /// The error for a stream or file with more or fewer bytes than stated.
    public struct UnexpectedInputStreamLength: Error, Sendable, Hashable {
        /// The expected number of bytes.
        public var bytesExpected: UInt64
        /// The number of bytes read before the mismatch was detected.
        public var bytesRead: UInt64

        /// Makes an error.
        public init(bytesExpected: UInt64, bytesRead: UInt64) {
            self.bytesExpected = bytesExpected
            self.bytesRead = bytesRead
        }
    }
}
