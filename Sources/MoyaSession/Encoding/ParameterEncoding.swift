#if canImport(FoundationNetworking)
public import FoundationNetworking
#else
public import Foundation
#endif

/// The parameters of a request by name.
public typealias Parameters = [String: any Sendable]

/// Adds parameters to a request.
///
/// ### Do I need this?
/// ``URLEncoding`` writes a query or a form, ``JSONEncoding`` a JSON body. Write a custom one for any other format.
///
/// ### Errors
/// Throw any error; wrap it in ``SessionError/ParameterEncodingFailureReason/customEncodingFailed(error:)`` to identify
/// the encoding.
@preconcurrency
public protocol ParameterEncoding: Sendable {
    /// Makes the request and adds the parameters; `nil` parameters leave it unchanged.
    ///
    /// - Throws: The error of making the request, or of encoding the parameters.
    @preconcurrency
    func encode(_ urlRequest: any URLRequestConvertible, with parameters: Parameters?) throws -> URLRequest
}
