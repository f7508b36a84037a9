#if os(Linux)
import CMoyaCurl
import Glibc
import MoyaTransport

/// The description of a libcurl: its version and the parts that it was built with.
struct CurlLibrary: Sendable {
    /// Initializes libcurl once per process; `false` on failure.
    static let isReady: Bool = moya_global_init() == CURLE_OK

    /// Lets loops use TLS until the process has ended; evaluated before OpenSSL is used.
    static let keepsTLSAtExit: Void = moya_keep_tls_at_exit()

    /// The description of the libcurl that the process has loaded.
    static let loaded = CurlLibrary(
        version: .loaded,
        features: curl_version_info(CURLVERSION_FIRST)?.pointee.features ?? 0,
        hasDNSServers: curl_version_info(CURLVERSION_SECOND)?.pointee.ares != nil,
        tlsLibrary: curl_version_info(CURLVERSION_FIRST)?.pointee.ssl_version.map { String(cString: $0) } ?? "")

    let version: CurlVersion
    /// The bits `CURL_VERSION_...`.
    let features: Int32
    /// `true` if libcurl was built with c-ares, which can use other DNS servers than the system's.
    let hasDNSServers: Bool
    /// The TLS library with its version; libcurl writes those that it could use instead in parentheses.
    var tlsLibrary = "OpenSSL/3.0"

    /// `true` if libcurl was built with a feature: `CURL_VERSION_...`.
    func has(_ feature: Int32) -> Bool { features & feature != 0 }

    /// The features that the transport needs: the bit, and the display name.
    private static let needed: [(bit: Int32, name: String)] = [
        (CURL_VERSION_SSL, "TLS"), (CURL_VERSION_HTTP2, "HTTP/2"),
        (CURL_VERSION_LIBZ, "the content codings gzip and deflate"),
    ]

    /// The reason that this libcurl is unsupported: the error of every exchange.
    var failure: TransportFailure? {
        guard version >= CurlVersion.oldest else {
            return TransportFailure(
                .unsupported,
                message:
                    "This process has loaded libcurl \(version), which is too old: Moya needs \(CurlVersion.oldest) or "
                    + "newer. Install a newer one, and look for an older copy on LD_LIBRARY_PATH.")
        }
        let missing = Self.needed.filter { !has($0.bit) }.map(\.name)
        guard !missing.isEmpty else { return usesOpenSSL ? nil : foreignTLS }
        return TransportFailure(
            .unsupported,
            message:
                "This process has loaded a libcurl \(version) that was built without \(missing.joined(separator: ", ")). "
                + "Install one that has it, such as the system's package, and look for another copy on LD_LIBRARY_PATH."
        )
    }

    /// `true` if libcurl uses OpenSSL, whose objects the transport's trust checks read.
    private var usesOpenSSL: Bool {
        tlsLibrary.split(separator: " ").contains { $0.hasPrefix("OpenSSL/") || $0.hasPrefix("quictls/") }
    }

    private var foreignTLS: TransportFailure {
        TransportFailure(
            .unsupported,
            message:
                "This process has loaded a libcurl \(version) that uses \(tlsLibrary) for TLS; Moya needs OpenSSL. Install "
                + "libcurl built with it, such as libcurl4-openssl-dev, and look for another copy on LD_LIBRARY_PATH.")
    }
}

/// The environment's proxies.
enum ProxyEnvironment {
    /// The variables with a proxy, determined once: libcurl would look up four with every request.
    private static let variables: [(name: String, value: String)] = {
        let names = ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
        // An empty variable names none.
        return names.compactMap { name in
            getenv(name).map { (name, String(cString: $0)) }.flatMap { $0.1.isEmpty ? nil : $0 }
        }
    }()

    /// `true` if there are any.
    static var isSet: Bool { !variables.isEmpty }

    /// A variable whose user name or password has a control character: libcurl would use no proxy, without an error.
    static let unfit: String? = variables.first { hasControlCharacters($0.value) }?.name

    /// `true` if there is a control character, also an encoded one, before the last `@`.
    static func hasControlCharacters(_ url: String) -> Bool {
        let bytes = Array(url.utf8)
        guard let at = bytes.lastIndex(of: UInt8(ascii: "@")) else { return false }
        return bytes[..<at].indices.contains { index in
            let isEscape = bytes[index] == UInt8(ascii: "%")
            let byte = isEscape ? ASCII.byte(ofHexDigits: bytes[index + 1..<at]) : bytes[index]
            return byte.map { $0 < 0x20 || $0 == 0x7F } ?? false
        }
    }
}
#endif
