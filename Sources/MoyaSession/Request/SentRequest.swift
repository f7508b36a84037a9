#if canImport(FoundationNetworking)
package import FoundationNetworking
#else
package import Foundation
#endif

/// The request as it was sent first, which becomes a `URLRequest` for those who look at it.
package enum SentRequest: Sendable {
    /// None was sent.
    case none
    /// One that was made.
    case made(URLRequest)
    /// The value that one is made of.
    case source(any URLRequestConvertible)

    /// The request; `nil` where none was sent.
    package var urlRequest: URLRequest? {
        switch self {
        case .none: nil
        case .made(let urlRequest): urlRequest
        case .source(let source): source.urlRequest
        }
    }
}
