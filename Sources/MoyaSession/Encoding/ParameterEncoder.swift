#if canImport(FoundationNetworking)
public import FoundationNetworking
#else
public import Foundation
#endif

/// Adds an `Encodable` value to a request.
///
/// ### Do I need this?
/// ``JSONParameterEncoder`` writes a JSON body, ``URLEncodedFormParameterEncoder`` a query or a form. Write a custom
/// one for any other format. For values in a dictionary, use ``ParameterEncoding``.
///
/// ### Errors
/// Throw any error; wrap it in ``SessionError/ParameterEncoderFailureReason/encoderFailed(error:)`` to identify the
/// encoder.
@preconcurrency
public protocol ParameterEncoder: Sendable {
    /// Returns the request with the parameters; `nil` parameters leave it unchanged.
    ///
    /// - Throws: The reason that the parameters cannot be encoded.
    @preconcurrency
    func encode<Parameters: Encodable & Sendable>(
        _ parameters: Parameters?, into request: URLRequest
    ) throws -> URLRequest
}
