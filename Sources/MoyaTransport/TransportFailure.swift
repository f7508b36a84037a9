/// The reason that an exchange ended without a whole response: a stable kind, and the wire's own words.
public struct TransportFailure: Error, Sendable {
    /// The kind of a failure, the same on every wire.
    public enum Kind: Sendable, Hashable {
        /// The host name, or the proxy's, could not be resolved.
        case dns
        /// No connection could be made or, where the transport can distinguish it, it ended within the TLS handshake.
        case connect
        /// The TLS handshake failed or the server is not trusted.
        case tls(TLSReason)
        /// A bound of ``Timeouts`` ran out.
        case timeout(Timeout)
        /// The connection broke while the exchange was under way.
        case reset
        /// The connection ended before the response was whole.
        case truncated
        /// The peer broke the rules of HTTP.
        case protocolViolation
        /// The response body could not be decoded as its Content-Encoding says.
        case contentDecoding
        /// The request body could not be read.
        case requestBody
        /// The request names something that this transport does not do.
        case unsupported
        /// The exchange was cancelled.
        case cancelled
        /// Anything else.
        case other
    }

    /// The part of TLS that failed.
    public enum TLSReason: Sendable, Hashable {
        /// The two sides could not agree.
        case handshake
        /// The certificate chain is not trusted, or is not valid for the host.
        case untrusted
        /// The session's own trust policy refused the server.
        case refusedByPolicy
        /// The client's certificate or key could not be used.
        case clientCertificate
        /// The certificate authorities of the session could not be read.
        case certificateAuthorities
    }

    /// The time limit that passed.
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
    /// The wire's own error number, 0 when it has none.
    public var code: Int
    /// The error that code of the caller threw, such as a trust policy or a body reader, or a ``TrustRefusal``.
    public var cause: (any Error)?

    /// Makes a failure.
    public init(_ kind: Kind, message: String, code: Int = 0, cause: (any Error)? = nil) {
        self.kind = kind
        self.message = message
        self.code = code
        self.cause = cause
    }

}

extension TransportFailure: MaskedDescription {
    /// The kind and the message, with secrets masked.
    public var description: String { "\(kind): \(SecretMask.standard.text(message))" }
}

extension TransportFailure: Equatable {
    /// `true` if kind, message and code are the same; errors of all types cannot be compared, so the cause does not
    /// count.
    public static func == (one: TransportFailure, other: TransportFailure) -> Bool {
        one.kind == other.kind && one.message == other.message && one.code == other.code
    }
}
