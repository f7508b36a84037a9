#if canImport(FoundationNetworking)
package import FoundationNetworking
#else
package import Foundation
#endif

/// The request as it was first sent, converted to a `URLRequest` on access.
package enum SentRequest: Sendable {
    /// No request was sent.
    case none
    /// The `URLRequest` that was sent.
    case made(URLRequest)
    /// The value from which the `URLRequest` is made.
    case source(any URLRequestConvertible)

    /// The request; `nil` if none was sent.
    package var urlRequest: URLRequest? {
        switch self {
        case .none: nil
        case .made(let urlRequest): urlRequest
        case .source(let source): source.urlRequest
        }
    }
}
