import Foundation
import MoyaSession

// `dump` would print header fields, bodies and credentials of these.
extension CoalescedCaller: OpaqueReflection {}
extension Endpoint: OpaqueReflection {}
extension MoyaProvider: OpaqueReflection {}
extension ProviderCall: OpaqueReflection {}
extension Response: OpaqueReflection {}
extension InMemoryTokenStore: OpaqueReflection {}
extension ResponseStreamError: OpaqueReflection {}

extension EndpointSampleResponse: MaskedDescription {
    /// The case, the status code and the length of the body, with secrets masked.
    public var description: String {
        switch self {
        case .networkResponse(let status, let data): "networkResponse(\(status), \(data.count) bytes)"
        case .response(let response, let data): "response(\(response.statusCode), \(data.count) bytes)"
        case .networkError(let error): "networkError(\(SecretMask.standard.text(describing: error)))"
        }
    }
}

extension MiddlewareCall: MaskedDescription {
    /// The target's case, the request line and the number of the attempt, with secrets masked.
    public var description: String {
        "MiddlewareCall(\(target.printedName), \(requestText(request)), attempt \(attempt))"
    }
}

extension ProgressSequence: MaskedDescription {
    /// The case of the target.
    public var description: String { "ProgressSequence(\(target.printedName))" }
}

extension RefreshGrant: MaskedDescription {
    /// The token endpoint, without the token.
    public var description: String { "RefreshGrant(\(SecretMask.standard.url(tokenURL.absoluteString)))" }
}

extension ServerSentEvent: MaskedDescription {
    /// The type and the length of the data, without the data.
    public var description: String {
        "ServerSentEvent(\(SecretMask.standard.text(type)), \(data.utf8.count) bytes)"
    }
}

extension StreamPart: MaskedDescription {
    /// The head with its secrets masked, or the length of the chunk.
    public var description: String {
        switch self {
        case .head(let response): "head(\(response))"
        case .chunk(let data): "chunk(\(data.count) bytes)"
        }
    }
}
