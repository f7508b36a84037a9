#if canImport(FoundationNetworking)
import Foundation
public import FoundationNetworking
#else
public import Foundation
#endif

/// Writes parameters as `name=value` pairs into the query or, as a form, into the body.
///
/// Pairs are sorted by name, so that equal parameters give equal requests. Nested dictionaries are written as
/// `name[key]=value`. Everything except ASCII letters, digits and `-._~/?` is percent-encoded in UTF-8; a space is
/// `%20`. Integers are written without a fraction for every type, and a `nil` value is omitted.
public struct URLEncoding: ParameterEncoding {
    /// The destination of the pairs.
    public enum Destination: Sendable {
        /// The query for GET, HEAD and DELETE, the body for any other method.
        case methodDependent
        /// The query, after an existing one.
        case queryString
        /// The body, replacing an existing one.
        case httpBody
    }

    /// The spelling of an array's name for each element.
    public typealias ArrayEncoding = URLEncodedFormEncoder.ArrayEncoding

    /// The text of `true` and `false`.
    public typealias BoolEncoding = URLEncodedFormEncoder.BoolEncoding

    /// The query or the body, by method; arrays with brackets, numeric booleans.
    public static let `default` = URLEncoding()
    /// The query, for every method.
    public static let queryString = URLEncoding(destination: .queryString)
    /// The body, for every method.
    public static let httpBody = URLEncoding(destination: .httpBody)

    /// The destination of the pairs.
    public let destination: Destination
    /// The spelling of an array's name for each element.
    public let arrayEncoding: ArrayEncoding
    /// The text of `true` and `false`.
    public let boolEncoding: BoolEncoding

    /// Makes an encoding.
    public init(
        destination: Destination = .methodDependent,
        arrayEncoding: ArrayEncoding = .brackets,
        boolEncoding: BoolEncoding = .numeric
    ) {
        self.destination = destination
        self.arrayEncoding = arrayEncoding
        self.boolEncoding = boolEncoding
    }

    /// Makes the request and writes the parameters into it.
    ///
    /// In the body, a `Content-Type` for forms is set unless there is one, and without parameters the body is empty. In
    /// the query, no parameters change nothing.
    ///
    /// - Throws: The error of making the request; ``SessionError/ParameterEncodingFailureReason/missingURL`` without a
    ///   URL for the query; ``SessionError/ParameterEncodingFailureReason/customEncodingFailed(error:)`` with a
    ///   ``NestingError`` for values nested too deep.
    @preconcurrency
    public func encode(_ urlRequest: any URLRequestConvertible, with parameters: Parameters?) throws -> URLRequest {
        var request = try urlRequest.asURLRequest()
        guard let parameters else { return request }
        let pairs: String
        do throws(NestingError) {
            pairs = try query(of: parameters)
        } catch {
            throw SessionError.parameterEncodingFailed(reason: .customEncodingFailed(error: error))
        }
        guard request.write(pairs: pairs, to: destination) else {
            throw SessionError.parameterEncodingFailed(reason: .missingURL)
        }
        return request
    }
}
