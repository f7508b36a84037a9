package import Foundation

#if canImport(FoundationNetworking)
package import FoundationNetworking
#endif

/// A request without a body that is known by its parts; a `URLRequest` is made of it for whoever asks for one.
///
/// Foundation takes four pieces of memory to make one, and as long as all the rest of a call on its way to the transport.
package struct PlainRequest: Sendable {
    /// An absolute `http` or `https` URL in the form in which it is sent: escaped, with no user name and no fragment.
    package let url: String
    /// The method, as it is sent.
    package let method: String
    /// The fields that the request brings along.
    package let fields: [String: String]?

    package init(url: String, method: String, fields: [String: String]?) {
        self.url = url
        self.method = method
        self.fields = fields
    }

    /// The same as Foundation has it; `nil` when it does not take the URL.
    package var urlRequest: URLRequest? {
        guard let url = URL(string: url, encodingInvalidCharacters: false) else { return nil }
        var request = URLRequest(url: url)
        // GET is what it has already, and setting it costs more than parsing the URL.
        if method != "GET" { request.httpMethod = method }
        if let fields { request.allHTTPHeaderFields = fields }
        return request
    }
}

/// A request of an attempt, as Foundation has it or as it could be made.
package enum SentRequest: Sendable {
    case made(URLRequest)
    case plain(PlainRequest)

    package var urlRequest: URLRequest? {
        switch self {
        case .made(let request): request
        case .plain(let request): request.urlRequest
        }
    }

    /// How the request uses a cache.
    var cachePolicy: URLRequest.CachePolicy {
        if case .made(let request) = self { request.cachePolicy } else { .useProtocolCachePolicy }
    }
}

/// The URL of an exchange, parsed for whoever asks.
package enum ExchangeURL: Sendable {
    case made(URL)
    case text(String)

    package var url: URL? {
        switch self {
        case .made(let url): url
        case .text(let text): URL(string: text, encodingInvalidCharacters: false)
        }
    }
}

/// What a request is made of.
enum RequestRecipe {
    case convertible(any URLRequestConvertible)
    case plain(PlainRequest)

    /// - Throws: What a convertible throws; ``SessionError/invalidURL(url:)``.
    func urlRequest() throws -> URLRequest {
        switch self {
        case .convertible(let convertible): return try convertible.asURLRequest()
        case .plain(let plain):
            guard let request = plain.urlRequest else { throw SessionError.invalidURL(url: plain.url) }
            return request
        }
    }
}
