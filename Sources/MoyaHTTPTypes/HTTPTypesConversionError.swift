#if HTTPTypes
public import Foundation
import MoyaTransport

/// A message of one library that the other one cannot represent.
public enum HTTPTypesConversionError: Error, Sendable, Hashable {
    /// A request whose scheme, authority and path, or whose URL, form no absolute `http` or `https` URL.
    case invalidURL(problem: String)
    /// A method that is not a token, or CONNECT, which no transport sends.
    case invalidMethod(String)
    /// A field name that is not a token (RFC 9110 section 5.1).
    case invalidFieldName(String)
    /// A field whose value has surrounding white space or a control character (RFC 9110 section 5.5).
    case invalidFieldValue(name: String)
    /// More than 65,534 fields, the maximum of swift-http-types.
    case tooManyFields(Int)
    /// A status code outside 0...999.
    case invalidStatus(Int)
}

extension HTTPTypesConversionError {
    /// An error about a URL that the problem quotes, with its secrets masked.
    static func unsendableURL(_ problem: String) -> HTTPTypesConversionError {
        .invalidURL(problem: SecretMask.standard.text(problem))
    }
}

extension HTTPTypesConversionError: LocalizedError, CustomStringConvertible {
    /// The problem and its value; a field's value is omitted, since it may be a secret.
    public var description: String {
        switch self {
        case .invalidURL(let problem): "The request has no URL that can be sent: \(problem)"
        case .invalidMethod(let method): HTTPRequest.problem(ofMethod: method) ?? "\(method) is no method."
        case .invalidFieldName(let name):
            "\(String(name.prefix(100)).debugDescription) is not a field name: it is not a token."
        case .invalidFieldValue(let name):
            "The value of \(name) has surrounding white space or a control character; remove it."
        case .tooManyFields(let count): "\(count) fields are too many; swift-http-types takes 65,534."
        case .invalidStatus(let code): "\(code) is no status code; it is outside 0...999."
        }
    }

    /// The description.
    public var errorDescription: String? { description }
}
#endif
