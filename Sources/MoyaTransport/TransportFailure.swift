public import Foundation

/// The reason that an exchange ended without a complete response: a stable kind, and the transport's own message.
public struct TransportFailure: Error, Sendable {
    /// The kind of a failure, the same for every transport.
    public enum Kind: Sendable, Hashable {
        /// The host name, or that of the proxy, could not be resolved.
        case dns
        /// No connection could be made or, if the transport can distinguish it, the connection ended within the TLS
        /// handshake.
        case connect
        /// The TLS handshake failed or the server is not trusted.
        case tls(TLSReason)
        /// A limit of ``Timeouts`` was exceeded.
        case timeout(Timeout)
        /// The connection broke during the exchange.
        case reset
        /// The connection ended before the response was complete.
        case truncated
        /// The peer violated HTTP.
        case protocolViolation
        /// The response body could not be decoded as its Content-Encoding says.
        case contentDecoding
        /// The request body could not be read.
        case requestBody
        /// The request requires a feature that this transport lacks.
        case unsupported
        /// The exchange was cancelled.
        case cancelled
        /// Any other failure.
        case other
    }

    /// The part of TLS that failed.
    public enum TLSReason: Sendable, Hashable {
        /// The two sides could not agree on parameters.
        case handshake
        /// The certificate chain is not trusted, or is not valid for the host.
        case untrusted
        /// The session's own trust policy refused the server.
        case refusedByPolicy
        /// The client certificate or key could not be used.
        case clientCertificate
        /// The certificate authorities of the session could not be read.
        case certificateAuthorities
    }

    /// The time limit that was exceeded.
    public enum Timeout: Sendable, Hashable {
        /// ``Timeouts/connect``.
        case connect
        /// ``Timeouts/idle``.
        case idle
        /// ``Timeouts/total``.
        case total
    }

    /// The kind of the failure.
    public var kind: Kind
    /// A human-readable message.
    public var message: String
    /// The transport's own error number, or 0.
    public var code: Int
    /// The error thrown by the caller's code, such as a trust policy or a body reader, a ``TrustRefusal``, or the
    /// reason that a file of a setting cannot be opened.
    public var cause: (any Error)?

    /// Makes a failure.
    public init(_ kind: Kind, message: String, code: Int = 0, cause: (any Error)? = nil) {
        self.kind = kind
        self.message = message
        self.code = code
        self.cause = cause
    }
}

extension TransportFailure.Kind {
    /// `true` if the network or the server's machine may be the cause, instead of the server's identity or the request.
    package var isOfNetwork: Bool {
        switch self {
        case .dns, .connect, .timeout, .reset, .truncated, .protocolViolation, .other: true
        case .tls, .contentDecoding, .requestBody, .unsupported, .cancelled: false
        }
    }

    /// `true` if the exchange may have failed in the body of a response, whose head is nevertheless right.
    package var isOfBody: Bool {
        switch self {
        case .reset, .truncated, .protocolViolation, .contentDecoding, .timeout(.idle): true
        case .dns, .connect, .tls, .timeout, .requestBody, .unsupported, .cancelled, .other: false
        }
    }
}

extension TransportFailure: MaskedDescription {
    /// The kind and the message, with secrets masked.
    public var description: String { "\(kind): \(SecretMask.standard.text(message))" }
}

extension TransportFailure: LocalizedError {
    /// The message, with secrets masked.
    public var errorDescription: String? { SecretMask.standard.text(message).asSentence }
}

extension TransportFailure: Equatable {
    /// `true` if kind, message and code are equal; the cause is ignored, since arbitrary errors cannot be compared.
    public static func == (one: TransportFailure, other: TransportFailure) -> Bool {
        one.kind == other.kind && one.message == other.message && one.code == other.code
    }
}

extension String {
    /// The text with a full stop at its end.
    package var asSentence: String { hasSuffix(".") ? self : self + "." }
}
