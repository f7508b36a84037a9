import Foundation
import MoyaTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension URLRequest {
    /// The longest URL and method that are sent: Foundation on Linux traps at libcurl's limit, which is eight times that.
    private static let mostBytes = 1_000_000

    /// Makes what `URLSession` is to send; the body is not part of it.
    ///
    /// - Throws: Why it cannot be sent: Foundation mends or traps at what is refused here.
    init(_ request: TransportRequest) throws(TransportFailure) {
        guard ASCII.isToken(request.method), request.method.utf8.count < Self.mostBytes else {
            throw .malformedMethod(request.method)
        }
        guard request.url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), request.url.utf8.count < Self.mostBytes,
            ASCII.hasPrefix(request.url, "http://") || ASCII.hasPrefix(request.url, "https://"),
            let url = URL(string: request.url, encodingInvalidCharacters: false), url.host?.isEmpty == false
        else { throw .malformedURL(request.url) }
        if request.timeouts.connect != nil { throw .noConnectBound }
        if let authentication = request.authentication, !authentication.isAnswered {
            throw .unsupported("authentication: \(authentication.scheme.rawValue)")
        }
        if request.method == "GET", request.hasBody { throw .unsupported("a body in a GET", "sends none") }
        // The wire watches time itself.
        self.init(url: url, cachePolicy: .reloadIgnoringLocalCacheData, timeoutInterval: URLSessionSettings.noTimeout)
        httpMethod = request.method
        httpShouldHandleCookies = false
        for field in request.fields {
            guard ASCII.isToken(field.name), field.value.utf8.allSatisfy({ $0 != 13 && $0 != 10 && $0 != 0 }) else {
                throw .malformedField(field.name)
            }
            if request.authentication != nil, ASCII.equalIgnoringCase(field.name, "authorization") { continue }
            add(field)
        }
    }

    /// Adds a field; the values of one name are joined, since a request keeps one of each (RFC 9110 section 5.3).
    private mutating func add(_ field: HTTPField) {
        guard let value = value(forHTTPHeaderField: field.name) else {
            return setValue(field.value, forHTTPHeaderField: field.name)
        }
        // RFC 6265 section 5.4 has one Cookie field, of which a comma is no part.
        let separator = ASCII.equalIgnoringCase(field.name, "cookie") ? "; " : ", "
        setValue(value + separator + field.value, forHTTPHeaderField: field.name)
    }
}

extension TransportRequest {
    fileprivate var hasBody: Bool {
        switch body {
        case .none: false
        case .data(let data): !data.isEmpty
        case .file(_, let length): length != 0
        case .stream(_, let length): length != 0
        }
    }
}

extension TransportAuthentication {
    /// Whether `URLSession` answers the challenge: Digest, where it speaks for one request; the others speak for a
    /// connection, which `URLSession` shares among requests.
    fileprivate var isAnswered: Bool {
        #if canImport(Darwin)
        scheme == .digest
        #else
        false
        #endif
    }
}
