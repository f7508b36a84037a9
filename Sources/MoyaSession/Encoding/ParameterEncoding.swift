#if canImport(FoundationNetworking)
public import FoundationNetworking
#else
public import Foundation
#endif

/// The parameters of a request by name.
public typealias Parameters = [String: any Sendable]

/// Puts parameters into a request.
///
/// ### Do I need this?
/// ``URLEncoding`` writes a query or a form, ``JSONEncoding`` a JSON body. Write your own for any other format.
///
/// ### Errors
/// Any error; wrapped in ``SessionError/ParameterEncodingFailureReason/customEncodingFailed(error:)`` it says what
/// failed.
@preconcurrency
public protocol ParameterEncoding: Sendable {
    /// Makes the request and puts the parameters into it; `nil` parameters leave the request as it is.
    ///
    /// - Throws: The error of making the request, or of encoding the parameters.
    @preconcurrency
    func encode(_ urlRequest: any URLRequestConvertible, with parameters: Parameters?) throws -> URLRequest
}
