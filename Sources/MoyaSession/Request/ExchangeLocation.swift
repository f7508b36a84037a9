import Foundation

/// The URL of an exchange, parsed on access.
///
/// The type is an enum, because copying an optional `any URLConvertible` costs more than the two retains of a copied
/// enum.
package enum ExchangeLocation: Sendable {
    /// A parsed URL.
    case url(URL)
    /// The URL of a redirect after the exchange had left its origin, from where on no credential was sent.
    case beyondOrigin(URL)
    /// An unparsed URL.
    case text(String)

    /// The URL; `nil` if Foundation cannot parse the text.
    package var url: URL? {
        switch self {
        case .url(let url), .beyondOrigin(let url): url
        case .text(let text): try? text.asURL()
        }
    }

    /// The URL as text, which Foundation may not be able to parse.
    var text: String {
        switch self {
        case .url(let url), .beyondOrigin(let url): url.absoluteString
        case .text(let text): text
        }
    }
}
