#if !canImport(Darwin)
import MoyaTransport

extension TransportFailure.Kind {
    /// Classifies an error message of libcurl, which Foundation uses on Linux.
    ///
    /// Foundation's own codes are few, and some mislead: it reports bytes that are not HTTP as an unsupported URL.
    init?(words message: String) {
        let words: [(String, Self)] = [
            // First, because they name the host, which may contain any of the others.
            ("Could not resolve", .dns),
            ("Failed to connect to", .connect),
            ("transfer closed with", .truncated),
            // The wording from libcurl 8 on, as in the two below that say 8.
            ("end of response with", .truncated),
            ("content unencoding", .contentDecoding),
            ("Content or Transfer-Encoding", .contentDecoding),
            ("content encoding", .contentDecoding),
            // Foundation's own parser of header lines refused the line.
            ("Failed writing header", .protocolViolation),
            ("Failure writing output", .protocolViolation),  // 8
            ("response headers", .protocolViolation),
            ("HTTP/0.9", .protocolViolation),
            ("HTTP version in response", .protocolViolation),
            ("subversion in response", .protocolViolation),  // 8
            ("HTTP response", .protocolViolation),
            ("Content-Length", .protocolViolation),
            ("chunk", .protocolViolation),
            ("Empty reply", .reset),
            ("Recv failure", .reset),
            ("Send failure", .reset),
            ("certificate", .tls(.untrusted)),
            ("SSL", .tls(.handshake)),
        ]
        guard let kind = words.first(where: { message.contains($0.0) })?.1 else { return nil }
        self = kind
    }
}

extension TrustRefusal {
    /// Classifies an error message of OpenSSL about a server's certificates.
    init(words message: String) {
        let words: [(String, Reason)] = [
            ("expired", .expired), ("not yet valid", .notYetValid), ("name", .wrongHost), ("self", .selfSigned),
            ("issuer", .unknownIssuer),
        ]
        self.init(words.first { message.contains($0.0) }?.1 ?? .other, message: message)
    }
}
#endif
