public import Foundation

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// Writes parameters as a JSON body.
public struct JSONEncoding: ParameterEncoding {
    /// The reason that parameters cannot be written as JSON.
    public enum Error: Swift.Error, LocalizedError {
        /// They contain values other than strings, finite numbers, booleans, null, arrays, and dictionaries with string
        /// keys.
        case invalidJSONObject

        /// Names the types that JSON supports, and the remedy.
        public var errorDescription: String? {
            "JSON holds strings, finite numbers, booleans, null, arrays of these and dictionaries with string keys; "
                + "the values contain another type. Convert dates, URLs, data and the like to strings first."
        }
    }

    /// JSON on one line.
    public static let `default` = JSONEncoding()
    /// JSON with line breaks and indentation.
    public static let prettyPrinted = JSONEncoding(options: .prettyPrinted)

    /// The format of the JSON.
    public let options: JSONSerialization.WritingOptions

    /// Makes an encoding.
    public init(options: JSONSerialization.WritingOptions = []) { self.options = options }

    /// Makes the request and sets the parameters as its body, with a `Content-Type` unless there is one.
    ///
    /// - Throws: The error of making the request;
    ///   ``SessionError/ParameterEncodingFailureReason/jsonEncodingFailed(error:)``, with a ``NestingError`` for values
    ///   nested too deep.
    @preconcurrency
    public func encode(_ urlRequest: any URLRequestConvertible, with parameters: Parameters?) throws -> URLRequest {
        try encode(urlRequest, withJSONObject: parameters)
    }

    /// Makes the request and sets an object, array or dictionary, as its body, with a `Content-Type` unless there is
    /// one.
    ///
    /// - Throws: The error of making the request;
    ///   ``SessionError/ParameterEncodingFailureReason/jsonEncodingFailed(error:)``.
    public func encode(_ urlRequest: any URLRequestConvertible, withJSONObject object: Any? = nil) throws -> URLRequest
    {
        var request = try urlRequest.asURLRequest()
        guard let object else { return request }
        let body: Data
        do {
            body = try data(object)
        } catch {
            throw SessionError.parameterEncodingFailed(reason: .jsonEncodingFailed(error: error))
        }
        request.setContentTypeIfMissing("application/json")
        request.httpBody = body
        return request
    }

    private func data(_ object: Any) throws -> Data {
        if options.isEmpty, let data = JSONWriter.data(of: object) { return data }
        try NestingError.check(object)
        #if os(Linux)
        let object = Self.withDoubles(object)
        #endif
        // Writing an invalid object stops the program, so it is checked first. A value that is neither array nor
        // dictionary is invalid alone, but valid in an array if fragments are allowed.
        let isValid =
            JSONSerialization.isValidJSONObject(object)
            || options.contains(.fragmentsAllowed) && JSONSerialization.isValidJSONObject([object])
        guard isValid else { throw Error.invalidJSONObject }
        return try JSONSerialization.data(withJSONObject: object, options: options)
    }

    #if os(Linux)
    /// Returns a value with its `CGFloat`s as `Double`s, since Foundation on Linux writes no `CGFloat`.
    private static func withDoubles(_ value: Any) -> Any {
        // Foundation's numbers can be cast to it too.
        if type(of: value) == CGFloat.self, let number = value as? CGFloat { return Double(number) }
        if let entries = value as? [String: Any] { return entries.mapValues(withDoubles) }
        if let elements = value as? [Any] { return elements.map(withDoubles) }
        return value
    }
    #endif
}
