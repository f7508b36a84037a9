import Foundation
import MoyaTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension URLRequest {
    /// Adds percent-encoded `name=value` pairs to the query, or makes them the body with a `Content-Type` for forms
    /// unless there is one; without pairs, a query is unchanged, and a body is empty.
    ///
    /// - Returns: `false`, without any change, if there is no URL for the query.
    mutating func write(pairs: String, to destination: URLEncoding.Destination) -> Bool {
        if destination.isQuery(for: httpMethod) {
            guard let old = url else { return false }
            if !pairs.isEmpty { url = old.adding(query: pairs) }
        } else {
            setContentTypeIfMissing("application/x-www-form-urlencoded; charset=utf-8")
            httpBody = Data(pairs.utf8)
        }
        return true
    }
}

extension URLEncoding.Destination {
    fileprivate func isQuery(for method: String?) -> Bool {
        switch self {
        case .queryString: true
        case .httpBody: false
        case .methodDependent: method == "GET" || method == "HEAD" || method == "DELETE"
        }
    }
}

extension URL {
    fileprivate func adding(query: String) -> URL {
        // Splicing the text costs a fraction of `URLComponents`. A URL with a base is more than its text.
        if baseURL == nil {
            var text = absoluteString
            let end = text.utf8.firstIndex(of: UInt8(ascii: "#")) ?? text.endIndex
            let mark = text.utf8[..<end].firstIndex(of: UInt8(ascii: "?"))
            let separator =
                if let mark { text.utf8.index(after: mark) == end ? "" : "&" } else { "?" }
            text.insert(contentsOf: separator + query, at: end)
            if let url = URL(spelled: text) { return url }
        }
        var components = URLComponents(url: self, resolvingAgainstBaseURL: false)
        if let old = components?.percentEncodedQuery, !old.isEmpty {
            components?.percentEncodedQuery = old + "&" + query
        } else {
            components?.percentEncodedQuery = query
        }
        return components?.url(relativeTo: baseURL) ?? self
    }
}
