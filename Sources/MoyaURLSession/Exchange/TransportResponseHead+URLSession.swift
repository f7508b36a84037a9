import Foundation
import MoyaTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension TransportResponseHead {
    /// The head of a response from `URLSession`, which keeps neither the order nor the duplicates of fields.
    init?(_ response: URLResponse) {
        guard let response = response as? HTTPURLResponse else { return nil }
        var fields: [HTTPField] = []
        fields.reserveCapacity(response.allHeaderFields.count)
        for (name, value) in response.allHeaderFields {
            let (name, value) = ("\(name)", "\(value)")
            if ASCII.equalIgnoringCase(name, "set-cookie") {
                for cookie in Self.cookies(in: value) { fields.append(HTTPField(name: name, value: cookie)) }
            } else {
                fields.append(HTTPField(name: name, value: ASCII.trimmed(value[...])))
            }
        }
        // A dictionary's order differs from run to run.
        fields.sort { ASCII.precedes($0.name, $1.name) }
        self.init(status: response.statusCode, fields: fields)
    }

    /// `true` if the head states a malformed length (RFC 9110 section 8.6), or several different ones, which
    /// `URLSession` joins.
    var hasMalformedLength: Bool {
        guard let value = value(for: "content-length") else { return false }
        let lengths = value.split(separator: ",", omittingEmptySubsequences: false)
            .map { ASCII.number(ASCII.trimmed($0).utf8) }
        return lengths.contains { $0 == nil || $0 != lengths[0] }
    }

    /// Splits the cookies that `URLSession` joined: a comma starts another cookie if a name and `=` follow it, which
    /// never occurs in a date (RFC 6265 section 4.1.1).
    ///
    /// A name may have brackets, which PHP sends: `cookie[three]=3`. The time is linear.
    static func cookies(in value: String) -> [String] {
        var cookies: [String] = []
        var start = value.startIndex
        var searched = value.startIndex
        while let comma = value[searched...].firstIndex(of: ",") {
            searched = value.index(after: comma)
            let rest = value[searched...].drop { $0 == " " || $0 == "\t" }
            let name = rest.utf8.prefix { ASCII.isTokenByte($0) || $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "]") }
            guard !name.isEmpty, rest.utf8[name.endIndex...].first == UInt8(ascii: "=") else { continue }
            cookies.append(ASCII.trimmed(value[start..<comma]))
            start = searched
        }
        cookies.append(ASCII.trimmed(value[start...]))
        return cookies
    }
}
