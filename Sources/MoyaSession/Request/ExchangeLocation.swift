import Foundation

/// The URL of an exchange, parsed on access.
///
/// The type is an enum, because copying an optional `any URLConvertible` costs more than the two retains of a copied
/// enum.
package enum ExchangeLocation: Sendable {
    /// A parsed URL.
    case url(URL)
    /// The URL of a redirect, whose response must not cause the request to be sent again.
    ///
    /// The exchange had left its origin, and from there on no credential was sent (RFC 9110 section 15.5.2), or one of
    /// its requests, with a method that is not idempotent, has had its effect (section 9.2.2).
    case final(URL)
    /// An unparsed URL.
    case text(String)

    /// The URL; `nil` if Foundation cannot parse the text.
    package var url: URL? {
        switch self {
        case .url(let url), .final(let url): url
        case .text(let text): try? text.asURL()
        }
    }

    /// `true` if the response from there must not cause the request to be sent again.
    package var isFinal: Bool { if case .final = self { true } else { false } }

    /// The URL as text, which Foundation may not be able to parse.
    var text: String {
        switch self {
        case .url(let url), .final(let url): url.absoluteString
        case .text(let text): text
        }
    }
}
