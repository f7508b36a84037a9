#if os(Linux)
import CMoyaCurl
import MoyaTransport

extension HTTPOrigin {
    /// Makes the origin that libcurl connects to for a URL; `nil` if its host is malformed.
    ///
    /// libcurl parses the URL itself, so that a difference between parsers cannot bypass a pin.
    init?(requested url: String) {
        var parts = moya_url_parts()
        defer { moya_url_free(parts) }
        guard moya_url_read(url, &parts), let host = parts.host, let port = parts.port,
            let number = Int(String(cString: port))
        else { return nil }
        self.init(isOverTLS: ASCII.hasPrefix(url, "https:"), host: String(cString: host), port: number)
    }
}
#endif
