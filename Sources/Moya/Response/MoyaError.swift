public import Foundation
import MoyaSession
import MoyaTransport

/// An error of a call.
///
///     making the request    requestMapping  parameterEncoding  encodableMapping
///     sending, receiving    underlying, most often with a SessionError
///     reading the response  statusCode  imageMapping  jsonMapping  stringMapping  objectMapping
public enum MoyaError: Error {
    /// The body is not an image.
    case imageMapping(Response)
    /// The body is not JSON.
    case jsonMapping(Response)
    /// The body is not a string.
    case stringMapping(Response)
    /// The body cannot be decoded.
    case objectMapping(any Error, Response)
    /// The value to send cannot be encoded.
    case encodableMapping(any Error)
    /// The status code is not acceptable.
    case statusCode(Response)
    /// Any other error, with the response if there is one.
    case underlying(any Error, Response?)
    /// The endpoint's URL, which is invalid.
    case requestMapping(String)
    /// The parameters cannot be encoded.
    case parameterEncoding(any Error)
}

extension MoyaError {
    /// The response, if there is one.
    public var response: Response? {
        switch self {
        case .imageMapping(let response), .jsonMapping(let response), .stringMapping(let response),
            .objectMapping(_, let response), .statusCode(let response):
            response
        case .underlying(_, let response): response
        case .encodableMapping, .requestMapping, .parameterEncoding: nil
        }
    }

    /// The underlying error, if there is one.
    package var underlyingError: (any Error)? {
        switch self {
        case .objectMapping(let error, _), .encodableMapping(let error), .underlying(let error, _),
            .parameterEncoding(let error):
            error
        case .imageMapping, .jsonMapping, .stringMapping, .statusCode, .requestMapping: nil
        }
    }

    /// The error of a cancelled call; as an `NSError`, the underlying error is `NSURLErrorDomain` -999.
    public static var cancelled: MoyaError { .underlying(SessionError.explicitlyCancelled, nil) }
}

extension MoyaError: MaskedDescription {
    /// The case and its values, with secrets masked and without bytes of a body.
    public var description: String {
        let mask = SecretMask.standard
        return switch self {
        case .imageMapping(let response): "imageMapping(\(response))"
        case .jsonMapping(let response): "jsonMapping(\(response))"
        case .stringMapping(let response): "stringMapping(\(response))"
        case .objectMapping(let error, let response): "objectMapping(\(mask.text(describing: error)), \(response))"
        case .encodableMapping(let error): "encodableMapping(\(mask.text(describing: error)))"
        case .statusCode(let response): "statusCode(\(response))"
        case .underlying(let error, let response):
            "underlying(\(mask.text(describing: error)), \(response.map { "\($0)" } ?? "nil"))"
        case .requestMapping(let url): "requestMapping(\(String(reflecting: mask.url(url))))"
        case .parameterEncoding(let error): "parameterEncoding(\(mask.text(describing: error)))"
        }
    }
}

extension MoyaError: LocalizedError {
    /// A description of the error.
    public var errorDescription: String? {
        switch self {
        case .imageMapping: "Failed to map data to an Image."
        case .jsonMapping: "Failed to map data to JSON."
        case .stringMapping: "Failed to map data to a String."
        case .objectMapping: "Failed to map data to a Decodable object."
        case .encodableMapping: "Failed to encode Encodable object into data."
        case .statusCode: "Status code didn't fall within the given range."
        case .underlying(let error, _): masked(error.localizedDescription)
        case .requestMapping: "Failed to map Endpoint to a URLRequest."
        case .parameterEncoding(let error):
            "Failed to encode parameters for URLRequest. \(masked(error.localizedDescription))"
        }
    }
}

/// The text of an app's error with the secrets of a URL masked.
///
/// The package's own errors mask themselves, and text without a URL is for the app's user.
private func masked(_ text: String) -> String {
    text.contains("://") ? SecretMask.standard.text(text) : text
}

extension MoyaError {
    /// The cause that the description leaves out: the status code, the invalid URL, or the value that cannot be decoded or
    /// encoded; contains no secrets and no bytes of a body.
    public var failureReason: String? {
        switch self {
        case .statusCode(let response): "The status code is \(response.statusCode)."
        case .imageMapping(let response), .jsonMapping(let response), .stringMapping(let response):
            response.shape
        case .objectMapping(let error, let response):
            error.isOfWholeBody ? "\(sentence(of: error)) \(response.shape)" : sentence(of: error)
        case .encodableMapping(let error): sentence(of: error)
        case .requestMapping(let url): "\"\(SecretMask.standard.url(url))\" is not a valid URL."
        case .underlying(let error, _), .parameterEncoding(let error):
            (error as? any LocalizedError)?.failureReason.map(masked)
        }
    }
}

extension Error {
    /// `true` if a body as a whole is no document of its decoder.
    fileprivate var isOfWholeBody: Bool {
        guard case .dataCorrupted(let context)? = self as? DecodingError else { return false }
        return context.codingPath.isEmpty
    }
}

extension Response {
    /// A sentence about the length and type of the body, and the status code.
    fileprivate var shape: String {
        let type = headers["Content-Type"]?.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || "/+-.".contains($0)) }
        let suffix = type.map { $0.isEmpty || $0.count > 80 ? "" : " of \($0)" } ?? ""
        return "The body has \(data.count) bytes\(suffix), and the status code is \(statusCode)."
    }
}

extension MoyaError: CustomNSError {
    /// The description, the failure reason and the underlying error, without the values of a body and the secrets of a URL.
    public var errorUserInfo: [String: Any] {
        var info: [String: Any] = [NSLocalizedDescriptionKey: errorDescription ?? ""]
        info[NSLocalizedFailureReasonErrorKey] = failureReason
        info[NSUnderlyingErrorKey] = underlyingError?.withoutValues
        return info
    }

    /// The index of the case in the declaration.
    public var errorCode: Int {
        switch self {
        case .imageMapping: 0
        case .jsonMapping: 1
        case .stringMapping: 2
        case .objectMapping: 3
        case .encodableMapping: 4
        case .statusCode: 5
        case .underlying: 6
        case .requestMapping: 7
        case .parameterEncoding: 8
        }
    }

    /// `Moya.MoyaError`.
    public static var errorDomain: String { "Moya.MoyaError" }
}

extension Error {
    /// The error for the user info of another, which crash reporters record: an error of `Codable` has the values of
    /// bodies and parameters in its own, and a Swift error is printed with its values.
    fileprivate var withoutValues: any Error {
        guard let text = codingText(self)?.asSentence ?? textWithoutSecrets else { return self }
        let bridged = self as NSError
        return NSError(domain: bridged.domain, code: bridged.code, userInfo: [NSLocalizedDescriptionKey: text])
    }

    /// The printed form with the secrets of a URL masked; `nil` if there are none.
    private var textWithoutSecrets: String? {
        guard !(self is any MaskedDescription) else { return nil }
        let text = "\(self)"
        let shown = masked(text)
        return shown == text ? nil : shown
    }
}
