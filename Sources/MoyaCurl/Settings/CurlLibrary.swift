#if os(Linux)
import CMoyaCurl
import Glibc

/// The loaded libcurl.
enum CurlLibrary {
    /// Initializes libcurl once per process; `false` on failure.
    static let isReady: Bool = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    /// The version as text.
    static let version: String = curl_version_info(CURLVERSION_FIRST).map { String(cString: $0.pointee.version) } ?? ""

    /// The reason that this libcurl is unsupported.
    static let failure = CurlRequirements.failure(version: .loaded, features: features)

    private static let features: Int32 = curl_version_info(CURLVERSION_FIRST)?.pointee.features ?? 0

    /// `true` if libcurl was built with c-ares, which can use other DNS servers than the system's.
    static let hasDNSServers: Bool = curl_version_info(CURLVERSION_SECOND)?.pointee.ares != nil

    /// `true` if libcurl was built with a feature: `CURL_VERSION_...`.
    static func has(_ feature: Int32) -> Bool { features & feature != 0 }
}

/// The environment's proxies.
enum ProxyEnvironment {
    /// `true` if there are any, determined once: libcurl would look up four variables with every request.
    static let isSet: Bool = {
        let names = ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
        return names.contains { getenv($0) != nil }
    }()
}
#endif
