import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension HTTPURLResponse {
    /// The encoding in the `charset` of `Content-Type`; `nil` without one, or an unknown one.
    var statedEncoding: String.Encoding? {
        guard let type = value(forHTTPHeaderField: "Content-Type"),
            let charset = HeaderParameters.parse(type)["charset"]?.lowercased()
        else { return nil }
        return Charset.encoding(named: charset)
    }
}
