#if os(Linux)
import CMoyaCurl
import Glibc
import MoyaTransport

extension TransportFailure {
    static let outOfResources = TransportFailure(
        .other,
        message: "libcurl could not make a handle: the process may be out of memory, descriptors or threads.")

    /// A challenge whose parts would be sent back (RFC 9110 section 5.5).
    static let malformedChallenge = TransportFailure(
        .protocolViolation, message: "The server's challenge holds a control character, and is not answered.")

    /// Ambiguous framing (RFC 9112 section 6.3), which could be used to inject another response.
    static let malformedLength = TransportFailure(
        .protocolViolation,
        message:
            "The response has an invalid Content-Length, or two that differ, or a Transfer-Encoding other than chunked, or "
            + "folds a line of its framing.")

    static let malformedStatus = TransportFailure(
        .protocolViolation, message: "The status of the response is not a number of three digits, 100 or more.")

    static let unagreedVersion = TransportFailure(
        .protocolViolation, message: "The response claims to be one of HTTP/2 or HTTP/3, which was not agreed on.")

    static let unaskedUpgrade = TransportFailure(
        .protocolViolation, message: "The server switched to another protocol (101), which no request asks for.")

    static let oversizedHead = TransportFailure(
        .protocolViolation,
        message: "The header sections of the response have more than \(ResponseHeadReader.mostBytes) bytes or "
            + "\(ResponseHeadReader.mostFields) fields, or a line longer than libcurl \(CurlVersion.loaded) takes.")

    static let noLength = TransportFailure(
        .unsupported,
        message: "The server speaks HTTP/1.0, which has no bodies of unknown length. State the length of the stream.",
        code: Int(CURLE_UPLOAD_FAILED.rawValue))

    static func undecodable(_ codings: String) -> TransportFailure {
        TransportFailure(
            .contentDecoding, message: "The response body cannot be decoded as its Content-Encoding says: \(codings).")
    }

    static func cutShort(_ codings: String) -> TransportFailure {
        TransportFailure(
            .contentDecoding, message: "The response body ends before its Content-Encoding does: \(codings).")
    }

    static func noSocket(_ code: Int32) -> TransportFailure {
        TransportFailure(
            .connect, message: "No socket could be made: \(SystemError.text(of: code)).",
            code: Int(CURLE_COULDNT_CONNECT.rawValue))
    }

    static let noFitConnection = TransportFailure(
        .connect, message: "The server ended each connection before the request could be sent.")

    static func unwatchedSocket(_ code: Int32) -> TransportFailure {
        TransportFailure(
            .connect, message: "The socket could not be watched: \(SystemError.text(of: code)).",
            code: Int(CURLE_COULDNT_CONNECT.rawValue))
    }

    static let truncatedBody = TransportFailure(
        .truncated,
        message: "The TLS connection ended without a close notification, and the response does not say where it ends.")

    static let truncatedHead = TransportFailure(
        .truncated, message: "The connection ended within the header section of the response.")

    /// libcurl accepts `http/1.1` as the beginning of a status line, contrary to RFC 9112 section 2.3.
    static let noHead = TransportFailure(
        .protocolViolation, message: "The response has no status line of HTTP.")

    static let brokenOff = TransportFailure(
        .reset, message: "The server gave up the stream after its response had begun, and is not asked again.")

    static func notSentAgain(_ method: String) -> TransportFailure {
        TransportFailure(
            .reset,
            message: "The connection broke before any response. The server may have acted on the request, and "
                + "\(method) is not sent a second time unasked.")
    }

    /// The failure of a request that libcurl would have sent again.
    static let bodyNotSentAgain = TransportFailure(
        .reset,
        message: "The connection broke before any response, and the body can be read only once: it is not sent again.",
        code: Int(CURLE_SEND_FAIL_REWIND.rawValue))

    static func timeout(_ timeout: Timeout, seconds: Double?) -> TransportFailure {
        self.timeout(timeout, seconds: seconds, code: Int(CURLE_OPERATION_TIMEDOUT.rawValue))
    }

    /// Classifies an error of libcurl.
    ///
    /// - Parameters:
    ///   - isConnected: `true` if the request could be sent.
    ///   - hasHeard: `true` if any part of a response arrived.
    static func of(
        _ code: CURLcode, text: String, isConnected: Bool, hasHeard: Bool
    ) -> TransportFailure {
        let message =
            text.isEmpty
            ? String(cString: curl_easy_strerror(code)) : quotesProxy(text) ? malformedProxy().message : text
        if code == CURLE_SSL_CLIENTCERT || refusesCertificate(message) {
            return TransportFailure(.tls(.clientCertificate), message: message, code: Int(code.rawValue))
        }
        // libcurl sends a request again if a reused connection was dead. If the second attempt failed this early, the
        // request may still have been sent.
        if isConnected, isOfConnecting(code) {
            return TransportFailure(
                .reset,
                message: "The connection broke, perhaps with the request sent, and no other could be made: \(message)",
                code: Int(code.rawValue))
        }
        return TransportFailure(
            isBreak(code, text: text, hasHeard: hasHeard)
                ? .reset : kind(of: code, message: message, isConnected: isConnected),
            message: message, code: Int(code.rawValue))
    }

    /// `true` if the peer's alert is about the client's certificate, or the lack of one (RFC 8446 section 6.2).
    ///
    /// Over TLS 1.3 it arrives after the handshake, instead of a response. OpenSSL's texts of alerts differ by version,
    /// but not the last three digits of its error: the number of the alert plus 1,000.
    private static func refusesCertificate(_ message: String) -> Bool {
        let parts = message.split(separator: ":")
        return zip(parts, parts.dropFirst()).contains { word, digits in
            guard word.hasSuffix("error"), let number = UInt32(digits, radix: 16) else { return false }
            return certificateAlerts.contains(Int(number & 0xFFF) - 1_000)
        }
    }

    /// The alerts `bad_certificate`, `unsupported_certificate`, `certificate_revoked`, `certificate_expired`,
    /// `certificate_unknown`, `unknown_ca`, `access_denied` and `certificate_required`.
    private static let certificateAlerts: Set<Int> = [42, 43, 44, 45, 46, 48, 49, 116]

    /// `true` if libcurl's message quotes a malformed proxy, which may contain a password.
    private static func quotesProxy(_ text: String) -> Bool { ASCII.hasPrefix(text, "unsupported proxy") }

    static func malformedProxy(_ variables: String = "http_proxy, https_proxy or all_proxy") -> TransportFailure {
        TransportFailure(
            .unsupported,
            message: "The proxy of the environment (\(variables)) is malformed or of an unsupported kind. Correct the "
                + "variable: its form is http://user:password@host:port, with the password percent-encoded.")
    }

    /// `true` if the connection broke before any part of the response, by libcurl's messages for HTTP/2.
    private static func isBreak(_ code: CURLcode, text: String, hasHeard: Bool) -> Bool {
        guard code == CURLE_HTTP2 else { return !hasHeard && code == CURLE_PARTIAL_FILE }
        let isOfSocket = ASCII.hasPrefix(text, "Send failure: ") || ASCII.hasPrefix(text, "Recv failure: ")
        return !hasHeard && (text.isEmpty || isOfSocket)
    }

    static func isOfConnecting(_ code: CURLcode) -> Bool {
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_CONNECT, CURLE_PROXY,
            CURLE_SSL_CONNECT_ERROR, CURLE_OPERATION_TIMEDOUT:
            true
        default: false
        }
    }

    private static func kind(of code: CURLcode, message: String, isConnected: Bool) -> Kind {
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: .dns
        case CURLE_COULDNT_CONNECT, CURLE_PROXY, CURLE_INTERFACE_FAILED: .connect
        case CURLE_SSL_CONNECT_ERROR: isCutOff(message) ? .connect : .tls(.handshake)
        case CURLE_SSL_CIPHER, CURLE_USE_SSL_FAILED, CURLE_SSL_INVALIDCERTSTATUS: .tls(.handshake)
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_PINNEDPUBKEYNOTMATCH:
            .tls(.untrusted)
        case CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CRL_BADFILE: .tls(.certificateAuthorities)
        case CURLE_SSL_CERTPROBLEM: .tls(.clientCertificate)
        case CURLE_OPERATION_TIMEDOUT: .timeout(.connect)
        case CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_HTTP2_STREAM: .reset
        case CURLE_RECV_ERROR: isMalformed(message) ? .protocolViolation : .reset
        case CURLE_PARTIAL_FILE: .truncated
        case CURLE_HTTP2, CURLE_WEIRD_SERVER_REPLY, CURLE_HTTP_RETURNED_ERROR: .protocolViolation
        // Caused by authentication, since libcurl follows no redirects here.
        case CURLE_TOO_MANY_REDIRECTS: .protocolViolation
        case CURLE_UNSUPPORTED_PROTOCOL: isConnected ? .protocolViolation : .unsupported
        case CURLE_OUT_OF_MEMORY: isMalformed(message) ? .protocolViolation : .other
        case CURLE_BAD_CONTENT_ENCODING, CURLE_WRITE_ERROR: .contentDecoding
        case CURLE_READ_ERROR, CURLE_SEND_FAIL_REWIND, CURLE_ABORTED_BY_CALLBACK: .requestBody
        case CURLE_URL_MALFORMAT, CURLE_NOT_BUILT_IN, CURLE_UNKNOWN_OPTION: .unsupported
        default: isConnected && isMalformed(message) ? .protocolViolation : .other
        }
    }

    /// `true` if a handshake ended because the connection did, instead of a disagreement: the next attempt may succeed.
    ///
    /// After a TLS error the message contains OpenSSL's text; otherwise the system's, in any language.
    private static func isCutOff(_ message: String) -> Bool {
        if message.hasPrefix("Recv failure: ") || message.hasPrefix("Send failure: ") { return true }
        if message.contains("unexpected eof") { return true }
        return message.hasPrefix("OpenSSL SSL_connect: ") && !message.contains("error:")
            && !message.contains("SSL_ERROR_SSL")
    }

    /// libcurl has no code for a malformed chunk or header section; its message tells which.
    private static func isMalformed(_ message: String) -> Bool {
        message.contains("chunk") || message.contains("Malformed") || message.contains("header")
    }
}
#endif
