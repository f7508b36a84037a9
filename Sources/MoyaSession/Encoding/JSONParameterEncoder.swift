public import Foundation

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// Writes an `Encodable` value as a JSON body.
///
/// `@unchecked`: an open class cannot be checked. It contains a `JSONEncoder`, which can encode on many threads
/// concurrently.
open class JSONParameterEncoder: ParameterEncoder, @unchecked Sendable {
    /// JSON on one line.
    public static var `default`: JSONParameterEncoder { JSONParameterEncoder() }

    /// JSON with line breaks and indentation.
    public static var prettyPrinted: JSONParameterEncoder { JSONParameterEncoder(formatting: .prettyPrinted) }

    /// JSON with sorted keys, so that equal values give equal bytes.
    public static var sortedKeys: JSONParameterEncoder { JSONParameterEncoder(formatting: .sortedKeys) }

    /// The encoder of the JSON; do not change it while requests are made.
    public let encoder: JSONEncoder

    /// Makes an encoder of parameters.
    public init(encoder: JSONEncoder = .moyaDefault) { self.encoder = encoder }

    private convenience init(formatting: JSONEncoder.OutputFormatting) {
        let encoder = JSONEncoder.moyaDefault
        encoder.outputFormatting = formatting
        self.init(encoder: encoder)
    }

    /// The request with the parameters as its body, and a `Content-Type` unless there was one.
    ///
    /// - Throws: ``SessionError/ParameterEncodingFailureReason/jsonEncodingFailed(error:)``.
    @preconcurrency
    open func encode<Parameters: Encodable & Sendable>(
        _ parameters: Parameters?, into request: URLRequest
    ) throws -> URLRequest {
        guard let parameters else { return request }
        var request = request
        do {
            request.httpBody = try encoder.encodeParameters(parameters)
        } catch {
            throw SessionError.parameterEncodingFailed(reason: .jsonEncodingFailed(error: error))
        }
        request.setContentTypeIfMissing("application/json")
        return request
    }
}

extension ParameterEncoder where Self == JSONParameterEncoder {
    /// JSON on one line.
    public static var json: JSONParameterEncoder { JSONParameterEncoder.default }

    /// JSON written by a custom encoder.
    public static func json(encoder: JSONEncoder = .moyaDefault) -> JSONParameterEncoder {
        JSONParameterEncoder(encoder: encoder)
    }
}
