import MoyaTransport

#if canImport(FoundationNetworking)
import Foundation
public import FoundationNetworking
#else
public import Foundation
#endif

/// Writes an `Encodable` value as `name=value` pairs into the query or, as a form, into the body.
///
/// `@unchecked`: an open class cannot be checked. It has two constant values.
open class URLEncodedFormParameterEncoder: ParameterEncoder, @unchecked Sendable {
    /// The destination of the pairs: the query or the body, or a choice by method.
    public typealias Destination = URLEncoding.Destination

    /// The query or the body, by method, in the encoder's default format.
    public static let `default` = URLEncodedFormParameterEncoder()

    /// The encoder of the pairs.
    public let encoder: URLEncodedFormEncoder
    /// The destination of the pairs.
    public let destination: Destination

    /// Makes an encoder of parameters.
    public init(encoder: URLEncodedFormEncoder = URLEncodedFormEncoder(), destination: Destination = .methodDependent) {
        self.encoder = encoder
        self.destination = destination
    }

    /// The request with the parameters in its query or its body.
    ///
    /// In the body, a `Content-Type` for forms is set unless there is one, and a value without pairs gives an empty
    /// body. In the query, a value without pairs changes nothing.
    ///
    /// - Throws: ``SessionError/parameterEncoderFailed(reason:)``; a request without a URL or without a valid method is
    ///   refused for every destination.
    @preconcurrency
    open func encode<Parameters: Encodable & Sendable>(
        _ parameters: Parameters?, into request: URLRequest
    ) throws -> URLRequest {
        guard let parameters else { return request }
        guard request.url != nil else { throw Self.failure(.missingRequiredComponent(.url)) }
        let method = request.httpMethod ?? ""
        guard ASCII.isToken(method) else {
            throw Self.failure(.missingRequiredComponent(.httpMethod(rawValue: method)))
        }
        let pairs: String
        do {
            pairs = try encoder.encode(parameters)
        } catch {
            throw Self.failure(.encoderFailed(error: error))
        }
        var request = request
        guard request.write(pairs: pairs, to: destination) else {
            throw Self.failure(.missingRequiredComponent(.url))
        }
        return request
    }

    private static func failure(_ reason: SessionError.ParameterEncoderFailureReason) -> SessionError {
        .parameterEncoderFailed(reason: reason)
    }
}

extension ParameterEncoder where Self == URLEncodedFormParameterEncoder {
    /// The query or the body, by method, in the encoder's default format.
    public static var urlEncodedForm: URLEncodedFormParameterEncoder { URLEncodedFormParameterEncoder.default }

    /// Pairs written by a custom encoder, to a custom destination.
    public static func urlEncodedForm(
        encoder: URLEncodedFormEncoder = URLEncodedFormEncoder(),
        destination: URLEncodedFormParameterEncoder.Destination = .methodDependent
    ) -> URLEncodedFormParameterEncoder {
        URLEncodedFormParameterEncoder(encoder: encoder, destination: destination)
    }
}
