import Foundation
public import MoyaTransport

extension SessionError {
    /// The transport's failure, if the exchange failed; more detailed than the `URLError` around it.
    public var transportFailure: TransportFailure? {
        switch self {
        case .sessionTaskFailed(let error):
            error as? TransportFailure ?? (error as? URLError)?.userInfo[NSUnderlyingErrorKey] as? TransportFailure
        case .serverTrustEvaluationFailed(.trustEvaluationFailed(let error)):
            error as? TransportFailure
        default: nil
        }
    }

    /// Makes the error of a failed exchange.
    ///
    /// A cancelled exchange is ``explicitlyCancelled``; one that the trust policy refused is
    /// ``serverTrustEvaluationFailed(reason:)``, if the caller does not know the policy's own reason; any other is
    /// ``sessionTaskFailed(error:)`` with a `URLError`.
    ///
    /// - Parameter url: The URL of the request; its secrets are masked in the error.
    package init(transportFailure failure: TransportFailure, url: URL?) {
        switch failure.kind {
        case .cancelled: self = .explicitlyCancelled
        case .tls(.refusedByPolicy):
            self = .serverTrustEvaluationFailed(reason: .trustEvaluationFailed(error: failure))
        default: self = .sessionTaskFailed(error: URLError(failure, url: url))
        }
    }
}

extension URLError {
    fileprivate init(_ failure: TransportFailure, url: URL?) {
        var details: [String: Any] = [
            NSUnderlyingErrorKey: failure,
            NSLocalizedDescriptionKey: failure.kind.explanation + " (\(SecretMask.standard.text(failure.message)))",
        ]
        if let url = url.flatMap({ URL(string: SecretMask.standard.url($0.absoluteString)) }) {
            details[NSURLErrorFailingURLErrorKey] = url
        }
        self.init(failure.trustRefusal?.reason.urlErrorCode ?? failure.urlErrorCode, userInfo: details)
    }
}

extension TransportFailure {
    /// The code of `URLSession` if the failure has one, and that of its kind otherwise.
    ///
    /// libcurl's codes are positive, and those of the Security framework are below the range.
    fileprivate var urlErrorCode: URLError.Code {
        // Optional, because the number may not be a code that Foundation on Linux knows.
        let own: URLError.Code? = (-3999 ... -995).contains(code) ? URLError.Code(rawValue: code) : nil
        return own ?? kind.urlErrorCode
    }
}

extension TransportFailure.Kind {
    fileprivate var urlErrorCode: URLError.Code {
        switch self {
        case .dns: .cannotFindHost
        case .connect: .cannotConnectToHost
        case .tls(.handshake), .tls(.certificateAuthorities): .secureConnectionFailed
        case .tls(.untrusted), .tls(.refusedByPolicy): .serverCertificateUntrusted
        case .tls(.clientCertificate): .clientCertificateRejected
        case .timeout: .timedOut
        case .reset, .truncated: .networkConnectionLost
        case .protocolViolation: .badServerResponse
        case .contentDecoding: .cannotDecodeContentData
        case .requestBody: .requestBodyStreamExhausted
        case .unsupported: .unsupportedURL
        case .cancelled: .cancelled
        case .other: .unknown
        }
    }

    fileprivate var explanation: String {
        switch self {
        case .dns: "The host name could not be resolved; check its spelling and the network."
        case .connect:
            "No connection could be made to the server; check that it runs, that the port is right, and that it speaks TLS "
                + "there if the URL is https."
        case .tls(.handshake): "No secure connection could be made: the TLS handshake failed."
        case .tls(.untrusted): "The server's certificate is not trusted, or is not one for this host."
        case .tls(.refusedByPolicy): "The session's own trust policy refused the server."
        case .tls(.clientCertificate): "The client certificate could not be used."
        case .tls(.certificateAuthorities): "The session's certificate authorities could not be read."
        case .timeout(.connect): "The connection was not ready in time."
        case .timeout(.idle): "The server was silent for too long."
        case .timeout(.total): "The exchange was not over in time."
        case .reset: "The connection broke while the exchange was under way."
        case .truncated: "The connection ended before the response was whole."
        case .protocolViolation: "The server's answer is not valid HTTP."
        case .contentDecoding: "The response body is not encoded as its Content-Encoding says."
        case .requestBody: "The request body could not be read."
        case .unsupported: "The request asks for something that this transport does not do."
        case .cancelled: "The exchange was cancelled."
        case .other: "The exchange failed."
        }
    }
}

extension TrustRefusal.Reason {
    /// `nil` if Foundation has no such code.
    fileprivate var urlErrorCode: URLError.Code? {
        switch self {
        case .expired: .serverCertificateHasBadDate
        case .notYetValid: .serverCertificateNotYetValid
        case .unknownIssuer, .selfSigned: .serverCertificateHasUnknownRoot
        default: nil
        }
    }
}
