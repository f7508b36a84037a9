import MoyaTransport

#if canImport(FoundationNetworking)
import Foundation
public import FoundationNetworking
#else
public import Foundation
#endif

/// Writes an `Encodable` value as `name=value` pairs into the query or, as a form, into the body.
///
/// `@unchecked`: an open class cannot be checked. It keeps two values that never change.
open class URLEncodedFormParameterEncoder: ParameterEncoder, @unchecked Sendable {
    /// The part of the request that the pairs go to: the query or the body, or the one that suits the method.
    public typealias Destination = URLEncoding.Destination

    /// The query or the body, by the method, in the encoder's usual format.
    public static let `default` = URLEncodedFormParameterEncoder()

    /// The encoder of the pairs.
    public let encoder: URLEncodedFormEncoder
    /// The part of the request that the pairs go to.
    public let destination: Destination

    /// Makes an encoder of parameters.
    public init(encoder: URLEncodedFormEncoder = URLEncodedFormEncoder(), destination: Destination = .methodDependent) {
        self.encoder = encoder
        self.destination = destination
    }

    /// The request with the parameters in its query or its body.
    ///
    /// In the body, a `Content-Type` for forms is set if there is none, and a value that makes no pairs makes an empty
    /// body. In the query, such a value changes nothing.
    ///
    /// - Throws: ``SessionError/parameterEncoderFailed(reason:)``; a request without URL or without a method that
    ///   is one is refused wherever the pairs go.
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
    /// The query or the body, by the method, in the encoder's usual format.
    public static var urlEncodedForm: URLEncodedFormParameterEncoder { URLEncodedFormParameterEncoder.default }

    /// Pairs as an encoder of your own makes them, where you want them.
    public static func urlEncodedForm(
        encoder: URLEncodedFormEncoder = URLEncodedFormEncoder(),
        destination: URLEncodedFormParameterEncoder.Destination = .methodDependent
    ) -> URLEncodedFormParameterEncoder {
        URLEncodedFormParameterEncoder(encoder: encoder, destination: destination)
    }
}
