#if canImport(FoundationNetworking)
public import FoundationNetworking
#else
public import Foundation
#endif

/// Puts an `Encodable` value into a request.
///
/// ### Do I need this?
/// ``JSONParameterEncoder`` writes a JSON body, ``URLEncodedFormParameterEncoder`` a query or a form. Write your own for
/// any other format; for values in a dictionary there is ``ParameterEncoding``.
///
/// ### Errors
/// Any error; wrapped in ``SessionError/ParameterEncoderFailureReason/encoderFailed(error:)`` it says what failed.
@preconcurrency
public protocol ParameterEncoder: Sendable {
    /// The request with the parameters in it; `nil` parameters leave it as it is.
    ///
    /// - Throws: The reason that the parameters cannot be encoded.
    @preconcurrency
    func encode<Parameters: Encodable & Sendable>(
        _ parameters: Parameters?, into request: URLRequest
    ) throws -> URLRequest
}
