#if os(Linux)
import CMoyaCurl
import Glibc
import MoyaTransport

extension TransportFailure {
    /// Classifies an error of libcurl before the request could be sent, by the server or the proxy.
    static func connecting(
        _ code: CURLcode, text: String, on easy: UnsafeMutableRawPointer, through proxy: CurlProxy,
        from local: String? = nil, minimum: TransportConfiguration.TLSVersion
    ) -> TransportFailure {
        var failure = of(code, text: text, isConnected: false, hasHeard: false)
        let systemError = Int32(truncatingIfNeeded: CURLINFO_OS_ERRNO.number(of: easy))
        if code == CURLE_COULDNT_CONNECT, systemError != 0 {
            failure.message += " (\(SystemError.text(of: systemError)))"
        }
        if let local, isOfAddress(code) { failure.message += ", from \(local)" }
        if code == CURLE_SSL_CONNECT_ERROR, isOfVersion(text) {
            failure.message += "; minimumTLSVersion is .\(minimum)"
        }
        let tunnelStatus = CURLINFO_HTTP_CONNECTCODE.number(of: easy)
        if tunnelStatus >= 300 {
            failure.kind = .connect
            failure.message =
                "\(proxy.name) refused a tunnel to the server with the status \(tunnelStatus)\(hint(tunnelStatus))."
        } else if code == CURLE_PEER_FAILED_VERIFICATION {
            let isProxys = proxy.mayBeUsed && CURLINFO_PROXY_SSL_VERIFYRESULT.number(of: easy) != X509_V_OK
            let result = (isProxys ? CURLINFO_PROXY_SSL_VERIFYRESULT : CURLINFO_SSL_VERIFYRESULT).number(of: easy)
            failure.cause = refusal(verifyResult: result, text: failure.message)
            if isProxys { failure.message = "\(proxy.name): \(failure.message)" }
        } else if proxy.mayBeUsed, isOfTunnel(failure) {
            failure.kind = .connect
            failure.message = "\(proxy.name): \(failure.message)"
        } else if isOf(proxy, code, failure.message) {
            failure.message = "\(proxy.name): \(failure.message)"
        }
        return failure
    }

    /// `true` if no connection to the proxy could be made, rather than to a host that is reached directly.
    private static func isOf(_ proxy: CurlProxy, _ code: CURLcode, _ message: String) -> Bool {
        // libcurl from 8.21 on names the server, and of the proxy only the host.
        if proxy.mayBeUsed, message.contains(" over proxy ") { return true }
        guard case .custom(let hop, _, _) = proxy else { return false }
        if code == CURLE_PROXY || code == CURLE_COULDNT_RESOLVE_PROXY { return true }
        let start = "Failed to connect to "
        return code == CURLE_COULDNT_CONNECT
            && (!message.contains(start) || message.contains("\(start)\(hop.host) port \(hop.port)")
                || message.contains(" via \(hop.host) "))
    }

    /// `true` if the tunnel broke off, or is none of HTTP: before the request, only a proxy is sent anything.
    private static func isOfTunnel(_ failure: TransportFailure) -> Bool {
        failure.kind == .reset || failure.kind == .protocolViolation
    }

    /// `true` if OpenSSL's text of an error says that one side has no TLS version that the other one accepts.
    private static func isOfVersion(_ text: String) -> Bool {
        text.contains("protocol version") || text.contains("unsupported protocol")
    }

    /// `true` if the local address of a connection may be the reason.
    private static func isOfAddress(_ code: CURLcode) -> Bool {
        code == CURLE_INTERFACE_FAILED || code == CURLE_COULDNT_CONNECT || code == CURLE_COULDNT_RESOLVE_HOST
    }

    private static func hint(_ status: Int) -> String {
        status == 407 ? ": it does not take the credentials, or there are none" : ""
    }

    /// libcurl checks the name itself, once OpenSSL has accepted the certificate, and records no result until then.
    private static func refusal(verifyResult: Int, text: String) -> TrustRefusal {
        guard verifyResult == X509_V_OK || verifyResult == X509_V_ERR_UNSPECIFIED else {
            return TrustRefusal(verifyError: verifyResult)
        }
        return TrustRefusal(text.contains("name") ? .wrongHost : .other, message: text)
    }
}
#endif
