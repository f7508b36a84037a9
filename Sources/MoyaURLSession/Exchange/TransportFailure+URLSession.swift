import Foundation
import MoyaTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension TransportFailure {
    /// Malformed or different lengths (RFC 9112 section 6.3), which could be used to inject another response.
    static let malformedLength = TransportFailure(
        .protocolViolation, message: "The response has an invalid Content-Length, or two that differ.")

    /// A redirect without a usable `Location`, whose body Foundation on Linux discards.
    static let discardedBody = TransportFailure(
        .protocolViolation, message: "The response redirects nowhere, and URLSession has discarded its body.")

    static let noConnectLimit = unsupported(
        "timeouts.connect", "does not report when a connection is established; set an idle or total deadline")

    /// A setting that `URLSession` does not support.
    static func unsupported(_ setting: String, _ reason: String = "has no such thing") -> TransportFailure {
        TransportFailure(.unsupported, message: "\(setting) cannot be honoured: URLSession \(reason).")
    }

    static func timeout(_ timeout: Timeout, seconds: Double?) -> TransportFailure {
        self.timeout(timeout, seconds: seconds, code: URLError.Code.timedOut.rawValue)
    }

    /// Classifies an error of `URLSession`.
    ///
    /// - Parameter hasHead: `true` if the head of the response has arrived.
    init(_ error: any Error, hasHead: Bool) {
        let code = (error as NSError).code
        let message = error.localizedDescription
        let kind =
            switch (error as NSError).domain {
            case NSPOSIXErrorDomain: Self.kind(ofPOSIX: code)
            case "kCFErrorDomainCFNetwork" where Self.isOfProxy(code): Kind.connect
            default: Self.kind(of: URLError.Code(rawValue: code), hasHead: hasHead)
            }
        let refusal = Self.refusal(code, message)
        #if canImport(Darwin)
        self.init(kind, message: message, code: code, cause: refusal)
        #else
        let messageKind = Kind(words: message) ?? kind
        let isUntrusted = messageKind == .tls(.untrusted)
        let cause = refusal ?? (isUntrusted ? TrustRefusal(words: message) : nil)
        self.init(messageKind, message: message, code: code, cause: cause)
        #endif
    }

    /// The system also reports the end of a connection in its own domain, for example of an app in the background.
    private static func kind(ofPOSIX code: Int) -> Kind {
        switch Int32(truncatingIfNeeded: code) {
        case EPIPE, ECONNABORTED, ECONNRESET, ENOTCONN, ETIMEDOUT: .reset
        case ECONNREFUSED: .connect
        case EPROTO: .protocolViolation
        default: .other
        }
    }

    /// `true` for the errors of a SOCKS or an HTTP proxy (`CFNetworkErrors`).
    private static func isOfProxy(_ code: Int) -> Bool { 100...125 ~= code || 306...311 ~= code }

    /// - Parameter code: Optional, because the number may not be a code that Foundation on Linux knows.
    private static func kind(of code: URLError.Code?, hasHead: Bool) -> Kind {
        guard let code else { return .other }
        return switch code {
        // The exchange has ended before it cancels its task: this is the system's decision.
        case .cancelled: .reset
        case .cannotFindHost, .dnsLookupFailed: .dns
        case .cannotConnectToHost, .notConnectedToInternet, .internationalRoamingOff, .callIsActive, .dataNotAllowed,
            .cannotLoadFromNetwork:
            .connect
        case .timedOut: hasHead ? .timeout(.idle) : .timeout(.connect)
        case .networkConnectionLost: .reset
        case .secureConnectionFailed: .tls(.handshake)
        case .serverCertificateHasBadDate, .serverCertificateUntrusted, .serverCertificateHasUnknownRoot,
            .serverCertificateNotYetValid:
            .tls(.untrusted)
        case .clientCertificateRejected, .clientCertificateRequired: .tls(.clientCertificate)
        case .cannotDecodeRawData, .cannotDecodeContentData: .contentDecoding
        case .badServerResponse, .cannotParseResponse, .zeroByteResource: .protocolViolation
        case .requestBodyStreamExhausted: .requestBody
        case .badURL, .unsupportedURL, .appTransportSecurityRequiresSecureConnection: .unsupported
        default: .other
        }
    }

    private static func refusal(_ code: Int, _ message: String) -> TrustRefusal? {
        let code: URLError.Code? = URLError.Code(rawValue: code)
        guard let code else { return nil }
        return switch code {
        case .serverCertificateHasBadDate: TrustRefusal(.expired, message: message)
        case .serverCertificateNotYetValid: TrustRefusal(.notYetValid, message: message)
        case .serverCertificateHasUnknownRoot: TrustRefusal(.unknownIssuer, message: message)
        case .serverCertificateUntrusted: TrustRefusal(.other, message: message)
        default: nil
        }
    }
}
