#if os(Linux)
import CMoyaCurl
import MoyaTransport

extension TransportAuthentication.Scheme {
    /// `true` if libcurl supports the scheme.
    ///
    /// - Parameter has: `true` if libcurl was built with a feature.
    func isSupported(by has: (Int32) -> Bool) -> Bool {
        switch self {
        case .digest: true
        case .ntlm: has(CURL_VERSION_NTLM)
        case .negotiate: has(CURL_VERSION_SPNEGO)
        }
    }
}

extension TransportAuthentication {
    /// The reason that a version of libcurl cannot answer a challenge with the user name; `nil` if it can.
    func problem(with version: CurlVersion) -> String? {
        guard scheme == .digest, version.escapesDigestNames, !user.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        return "the Digest user name has a character beyond ASCII, for which libcurl \(version) sends a percent escape,"
            + " so that no server finds the user; a libcurl before 8.21 sends the character"
    }

    /// Makes a handle answer challenges of only this scheme; `false` if libcurl refuses.
    func use(on easy: UnsafeMutableRawPointer) -> Bool {
        let code =
            switch scheme {
            case .digest: moya_easy_use_digest(easy)
            case .ntlm: moya_easy_use_ntlm(easy)
            case .negotiate: moya_easy_use_negotiate(easy)
            }
        if scheme != .digest {
            // These schemes authenticate a connection instead of a request: it must not be shared, nor use HTTP/2.
            moya_easy_set_long(easy, CURLOPT_FORBID_REUSE, 1)
            moya_easy_set_long(easy, CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
        }
        // A server that declares every answer stale must not cause an endless loop.
        moya_easy_set_long(easy, CURLOPT_MAXREDIRS, 8)
        moya_easy_set_string(easy, CURLOPT_USERNAME, user)
        moya_easy_set_string(easy, CURLOPT_PASSWORD, password)
        return code == CURLE_OK
    }
}
#endif
