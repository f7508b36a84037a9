import Foundation
import MoyaTransport

extension HTTPOrigin {
    /// Makes the origin that `URLSession` connects to for a URL; `nil` if its host is malformed.
    init?(requested url: String) {
        guard let parts = URLComponents(string: url), let host = parts.encodedHost else { return nil }
        let isOverTLS = ASCII.hasPrefix(url, "https:")
        self.init(isOverTLS: isOverTLS, host: host, port: parts.port ?? (isOverTLS ? 443 : 80))
    }
}
