#if canImport(FoundationNetworking)
import Foundation
public import FoundationNetworking
#else
public import Foundation
#endif

extension HTTPHeaders {
    /// The default header fields of a session: Accept-Encoding, Accept-Language and User-Agent.
    public static let `default`: HTTPHeaders = [
        .defaultAcceptEncoding,
        .defaultAcceptLanguage,
        .defaultUserAgent,
    ]

    /// Makes fields from the entries of a Foundation dictionary whose name and value are strings.
    init(foundation entries: [AnyHashable: Any]) {
        self.init(
            of: entries.lazy.compactMap { entry in
                guard let name = entry.key as? String, let value = entry.value as? String else { return nil }
                return HTTPHeader(name: name, value: value)
            })
    }
}

extension URLRequest {
    /// The header fields; setting them replaces all fields.
    public var headers: HTTPHeaders {
        get { allHTTPHeaderFields.map { HTTPHeaders($0) } ?? HTTPHeaders() }
        set { allHTTPHeaderFields = newValue.dictionary }
    }

    /// Sets the `Content-Type`, unless there is one.
    package mutating func setContentTypeIfMissing(_ type: String) {
        if value(forHTTPHeaderField: "Content-Type") == nil { setValue(type, forHTTPHeaderField: "Content-Type") }
    }
}

extension HTTPURLResponse {
    /// The header fields.
    public var headers: HTTPHeaders { HTTPHeaders(foundation: allHeaderFields) }
}

extension URLSessionConfiguration {
    /// The header fields of every request of the session; setting them replaces all fields.
    public var headers: HTTPHeaders {
        get { httpAdditionalHeaders.map { HTTPHeaders(foundation: $0) } ?? HTTPHeaders() }
        set { httpAdditionalHeaders = newValue.dictionary }
    }

    /// Foundation's configurations with ``HTTPHeaders/default`` added.
    public static var af: WithDefaultHeaders { WithDefaultHeaders() }

    /// Makes configurations that send ``HTTPHeaders/default``; each call makes a new one.
    public struct WithDefaultHeaders: Sendable {
        /// `URLSessionConfiguration.default` with the default headers.
        public var `default`: URLSessionConfiguration { sendingDefaults(.default) }

        /// `URLSessionConfiguration.ephemeral` with the default headers.
        public var ephemeral: URLSessionConfiguration { sendingDefaults(.ephemeral) }

        private func sendingDefaults(_ configuration: URLSessionConfiguration) -> URLSessionConfiguration {
            configuration.headers = .default
            return configuration
        }
    }
}
