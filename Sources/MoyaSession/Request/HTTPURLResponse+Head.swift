import Foundation
package import MoyaTransport

#if canImport(FoundationNetworking)
package import FoundationNetworking
#endif

extension HTTPURLResponse {
    /// Makes a response from a head; values of equal field names are joined with commas (RFC 9110 section 5.3).
    package convenience init?(head: TransportResponseHead, url: URL) {
        var fields: [String: String] = [:]
        var spellings: [String: String] = [:]
        for field in head.fields {
            let spelling = spellings[field.name.lowercased(), default: field.name]
            spellings[field.name.lowercased()] = spelling
            if fields[spelling] == nil {
                fields[spelling] = field.value
            } else {
                // In place: a copy for each of many lines would take quadratic time.
                fields[spelling]?.append(", \(field.value)")
            }
        }
        #if canImport(FoundationNetworking)
        // Foundation parses these fields in quadratic time; libcurl takes no longer one, but several may be joined.
        for spelling in ["content-disposition", "content-type"].compactMap({ spellings[$0] }) {
            fields[spelling] = fields[spelling].map { String(decoding: $0.utf8.prefix(96 * 1024), as: UTF8.self) }
        }
        #endif
        self.init(url: url, statusCode: head.status, httpVersion: head.version, headerFields: fields)
    }
}
