#if os(Linux)
import CMoyaCurl
import Foundation

/// libcurl as a whole.
enum CurlLibrary {
    /// Sets libcurl up, once for the process; `false` when it cannot be.
    static let isReady: Bool = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    /// Its version, as people write it.
    static let version: String = curl_version_info(CURLVERSION_FIRST).map { String(cString: $0.pointee.version) } ?? ""

    /// The reason that this libcurl cannot carry the wire.
    static let failure = CurlRequirements.failure(version: .loaded, features: features)

    private static let features: Int32 = curl_version_info(CURLVERSION_FIRST)?.pointee.features ?? 0

    /// `true` if it was built with c-ares, which asks other DNS servers than the system's.
    static let hasDNSServers: Bool = curl_version_info(CURLVERSION_SECOND)?.pointee.ares != nil

    /// `true` if it was built with a feature: `CURL_VERSION_...`.
    static func has(_ feature: Int32) -> Bool { features & feature != 0 }
}

/// The proxies that the environment names.
enum ProxyEnvironment {
    /// `true` if it names any, looked up once: libcurl would look for four variables with every request.
    static let isSet: Bool = {
        let environment = ProcessInfo.processInfo.environment
        return ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"].contains {
            environment[$0] != nil
        }
    }()
}
#endif
