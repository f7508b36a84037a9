#if os(Linux)
import CMoyaCurl
import Foundation

/// libcurl as a whole.
enum CurlLibrary {
    /// Sets libcurl up, once for the process; `false` when it cannot be.
    static let isReady: Bool = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK
}

/// The proxies that the environment names.
enum ProxyEnvironment {
    /// Whether it names any, looked up once: libcurl would look for four variables with every request.
    static let isSet: Bool = {
        let environment = ProcessInfo.processInfo.environment
        return ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"].contains {
            environment[$0] != nil
        }
    }()
}
#endif
