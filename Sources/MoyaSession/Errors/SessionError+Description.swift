public import Foundation
import MoyaTransport

extension SessionError: LocalizedError {
    /// Names the problem, its value, and the remedy unless it is obvious; contains no secret of the request.
    public var errorDescription: String? {
        switch self {
        case .createUploadableFailed(let error): "The body to upload could not be made ready: \(sentence(of: error))"
        case .createURLRequestFailed(let error): "The request could not be made: \(sentence(of: error))"
        case .downloadedFileMoveFailed(let error, let source, let destination):
            "The downloaded file could not be moved from \(source.path) to \(place(destination)): "
                + sentence(of: error) + remedy(forMoveFailingWith: error)
        case .explicitlyCancelled: "The request was cancelled."
        case .invalidURL(let url):
            "Not a valid URL: \"\(SecretMask.standard.url("\(url)").escapingControls)\". Percent-encode characters that a URL cannot contain, and give a port of at most 65535."
        case .multipartEncodingFailed(let reason): "The multipart body could not be built: \(reason)"
        case .parameterEncodingFailed(let reason): "The parameters could not be encoded: \(reason)"
        case .parameterEncoderFailed(let reason): "The parameters could not be encoded: \(reason)"
        case .requestAdaptationFailed(let error): "A request adapter failed: \(sentence(of: error))"
        case .requestRetryFailed(let retryError, let originalError):
            "A request retrier failed: \(sentence(of: retryError)) The request had failed before: "
                + sentence(of: originalError)
        case .responseValidationFailed(let reason): "The response is not acceptable: \(reason)"
        case .responseSerializationFailed(let reason): "The response could not be read: \(reason)"
        case .serverTrustEvaluationFailed(let reason): "The server is not trusted: \(reason)"
        case .sessionDeinitialized:
            "The session was released while the request was under way. Keep the session for as long as its requests."
        case .sessionInvalidated(let error):
            "The session was invalidated\(error.map { ": \(sentence(of: $0))" } ?? ".") Use a new session."
        case .sessionTaskFailed(let error): sentence(of: error)
        case .urlRequestValidationFailed(let reason): "The request may not be sent: \(reason)"
        case .responseTooLarge(let maximumBytes):
            "The response body is longer than \(maximumBytes) bytes, the maximumResponseBytes of the call, its target or its "
                + "session. Raise that where more is expected, or download to a file."
        }
    }
}

extension SessionError: MaskedDescription {
    /// The case and the reason, with secrets masked.
    public var description: String { "SessionError.\(kind): \(errorDescription ?? "")" }
}

/// An error's own text, with secrets masked; a Swift error without one gives its type and case instead of a domain and a
/// number.
package func sentence(of error: any Error) -> String { SecretMask.standard.text(ownText(error)) }

private func ownText(_ error: any Error) -> String {
    if let text = codingText(error) { return text.asSentence }
    if let described = (error as? any LocalizedError)?.errorDescription { return described }
    guard !(type(of: error) is NSError.Type), !(error is any CustomNSError) else { return error.localizedDescription }
    return "\(error)".asSentence
}

/// The path of a file, or the whole of another URL, which names no file.
private func place(_ url: URL) -> String {
    url.isFileURL ? url.path : SecretMask.standard.url(url.absoluteString)
}

/// The option of a download that prevents a failure to move its file.
private func remedy(forMoveFailingWith error: any Error) -> String {
    let number = ((error as? CocoaError)?.underlying as? NSError)?.code
    return switch (error as? CocoaError)?.code {
    case .fileWriteFileExists where ![nil, Int(EEXIST)].contains(number):
        " Only a file or a link is ever replaced."
    case .fileWriteFileExists: " The option removePreviousFile replaces a file that is there."
    case .fileNoSuchFile: " The option createIntermediateDirectories makes the directory."
    case .fileWriteUnsupportedScheme: " Return a file URL."
    default: ""
    }
}

extension SessionError.MultipartEncodingFailureReason: MaskedDescription {
    /// The reason as text, with secrets masked.
    public var description: String {
        switch self {
        case .bodyPartURLInvalid(let url):
            "\(SecretMask.standard.url(url.absoluteString)) is not a file URL."
        case .bodyPartFilenameInvalid(let url):
            "\(SecretMask.standard.url(url.absoluteString)) has no name or no extension. Give a file name and a MIME type."
        case .bodyPartFileNotReachable(let url): "There is no file at \(url.path)."
        case .bodyPartFileNotReachableWithError(let url, let error):
            "The file at \(url.path) cannot be read: \(sentence(of: error))"
        case .bodyPartFileIsDirectory(let url): "\(url.path) is a directory; only a file can be a part."
        case .bodyPartFileSizeNotAvailable(let url): "The size of \(url.path) is not known."
        case .bodyPartFileSizeQueryFailedWithError(let url, let error):
            "The size of \(url.path) could not be read: \(sentence(of: error))"
        case .bodyPartInputStreamCreationFailed(let url): "\(url.path) could not be opened for reading."
        case .bodyPartHeaderInvalid(let value):
            "\"\(SecretMask.standard.text(value).escapingControls)\" is not valid in a multipart form. Use names without NUL or a "
                + "backslash at the end, file names without NUL or \"..\" as a component, MIME types and field values without "
                + "control characters, field names that are tokens, and a boundary of 1 to 70 letters, digits, inner spaces "
                + "or signs of '()+_,-./:=?."
        case .outputStreamCreationFailed(let url): "\(url.path) could not be opened for writing."
        case .outputStreamFileAlreadyExists(let url): "There is a file at \(url.path) already; it is left as it is."
        case .outputStreamURLInvalid(let url):
            "\(SecretMask.standard.url(url.absoluteString)) is not a file URL; the body can be written to a file only."
        case .outputStreamWriteFailed(let error): "Writing failed: \(sentence(of: error))"
        case .inputStreamReadFailed(let error): "Reading a part failed: \(sentence(of: error))"
        }
    }
}

extension SessionError.ParameterEncodingFailureReason: MaskedDescription {
    /// The reason as text, with secrets masked.
    public var description: String {
        switch self {
        case .missingURL: "the request has no URL to add them to."
        case .jsonEncodingFailed(let error): sentence(of: error)
        case .customEncodingFailed(let error): sentence(of: error)
        }
    }
}

extension SessionError.ParameterEncoderFailureReason: MaskedDescription {
    /// The reason as text, with secrets masked.
    public var description: String {
        switch self {
        case .missingRequiredComponent(.url): "the request has no URL to add them to."
        case .missingRequiredComponent(.httpMethod(let method)):
            "the request's method, \"\(method.escapingControls)\", does not tell where they belong."
        case .encoderFailed(let error): sentence(of: error)
        }
    }
}

extension SessionError.ResponseValidationFailureReason: MaskedDescription {
    /// The reason as text, with secrets masked.
    public var description: String {
        switch self {
        case .dataFileNil: "there is no downloaded file to validate."
        case .dataFileReadFailed(let url): "the downloaded file at \(url.path) cannot be read."
        case .missingContentType(let acceptable):
            "it names no content type; acceptable are \(acceptable.joined(separator: ", "))."
        case .unacceptableContentType(let acceptable, let type):
            "its content type is \(SecretMask.standard.text(type)); acceptable are \(acceptable.joined(separator: ", "))."
        case .unacceptableStatusCode(let code): "its status code is \(code)."
        case .customValidationFailed(let error): sentence(of: error)
        }
    }
}

extension SessionError.ResponseSerializationFailureReason: MaskedDescription {
    /// The reason as text, with secrets masked.
    public var description: String {
        switch self {
        case .inputDataNilOrZeroLength: "it has no data."
        case .inputFileNil: "there is no downloaded file."
        case .inputFileReadFailed(let url): "the downloaded file at \(url.path) cannot be read."
        case .stringSerializationFailed(let encoding):
            "its bytes are not text in the encoding \(Charset.name(of: encoding)). Pass the right one as encoding:, or read the bytes."
        case .jsonSerializationFailed(let error), .decodingFailed(let error): sentence(of: error)
        case .invalidEmptyResponse(let type):
            "it is empty, and \(type) has no value for that. Have \(type) conform to EmptyResponse, or expect Empty."
        case .customSerializationFailed(let error): sentence(of: error)
        }
    }
}

extension SessionError.ServerTrustFailureReason: MaskedDescription {
    /// The reason as text, with secrets masked.
    public var description: String {
        switch self {
        case .noRequiredEvaluator(let host):
            "every host must be evaluated, and there is no evaluator for \(host). Add one, or pass allHostsMustBeEvaluated: false."
        case .noCertificatesFound: "there is no certificate to pin to. Add one to the bundle or pass it."
        case .noPublicKeysFound: "there is no public key to pin to. Add a certificate to the bundle or pass a key."
        case .trustEvaluationFailed(let error):
            if let failure = error as? TransportFailure {
                "\(SecretMask.standard.text(failure.message))."
            } else {
                error.map(sentence(of:)) ?? "its certificate chain or its host name was refused."
            }
        case .revocationPolicyCreationFailed: "the policy that checks revocation could not be made."
        case .certificatePinningFailed(let host, let pinned, let presented):
            "none of the \(presented) certificates of \(host) is among the \(pinned) pinned ones."
        case .publicKeyPinningFailed(let host, let pinned, let presented):
            "none of the \(presented) public keys of \(host) is among the \(pinned) pinned ones."
        case .invalidEvaluator(let setting, let problem): "the evaluator's \(setting) \(problem)."
        case .customEvaluationFailed(let error): sentence(of: error)
        }
    }
}

extension SessionError.URLRequestValidationFailureReason: MaskedDescription {
    /// The reason as text, with secrets masked.
    public var description: String {
        switch self {
        case .bodyDataInGETRequest(let data):
            "a GET request has a body of \(data.count) bytes. Put parameters in the query, or use another method."
        case .missingHost(let url):
            "\"\(SecretMask.standard.url(url))\" names no host. Give an absolute URL, such as https://example.com/path."
        case .unsupportedScheme(let scheme): "the scheme \"\(scheme)\" is neither http nor https."
        case .invalidMethod(let method) where ASCII.equalIgnoringCase(method, "connect"):
            "CONNECT asks a proxy for a tunnel, and no server for a resource (RFC 9110 section 9.3.6)."
        case .invalidMethod(let method):
            "\"\(method.escapingControls)\" is not a method: letters, digits and some signs only (RFC 9110 section 9.1)."
        case .invalidHeaderField(let name):
            ASCII.equalIgnoringCase(name, "upgrade")
                ? "the header field \"Upgrade\" asks for another protocol than HTTP, which no session speaks."
                : "the header field \"\(String(name.prefix { $0 != ":" && $0 != " " }).escapingControls)\" has a name that is not a token, or a value with a control character."
        case .invalidCredential(let problem): "\(problem)"
        case .basicWithoutTLS(let host):
            "the password for \(host) would be sent without TLS, which the session's credentialPolicy refuses. Use https."
        case .uploadFileNotReadable(let url) where !url.isFileURL:
            "\(SecretMask.standard.url(url.absoluteString)) is not a file URL."
        case .uploadFileNotReadable(let url): "the file at \(url.path) is not there, is a directory, or cannot be read."
        case .unsupportedSetting(let setting): "\(setting)"
        }
    }
}

extension SessionError.UnexpectedInputStreamLength: LocalizedError {
    /// Both lengths and the remedy.
    public var errorDescription: String? {
        "\(bytesExpected) bytes were expected and \(bytesRead) read. A form can be encoded once only; a file or "
            + "stream must hold as many bytes as it did, or was said to, when it was appended."
    }
}
