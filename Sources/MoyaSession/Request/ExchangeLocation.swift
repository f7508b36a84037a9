package import Foundation

/// The URL of an exchange, parsed only for those who look at it.
///
/// No `any URLConvertible`: a copy of an optional of that is made by its value witnesses, of this by two retains.
package enum ExchangeLocation: Sendable {
    /// A URL that was parsed.
    case url(URL)
    /// The text of a URL.
    case text(String)

    /// The URL; `nil` where Foundation takes the text for none.
    package var url: URL? {
        switch self {
        case .url(let url): url
        case .text(let text): try? text.asURL()
        }
    }
}
