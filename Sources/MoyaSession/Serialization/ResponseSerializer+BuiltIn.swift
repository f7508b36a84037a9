public import Foundation

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// Returns the body unchanged.
public final class DataResponseSerializer: ResponseSerializer {
    /// The preprocessor of the body.
    public let dataPreprocessor: any DataPreprocessor
    /// The status codes of responses that may be empty.
    public let emptyResponseCodes: Set<Int>
    /// The methods whose responses may be empty.
    public let emptyRequestMethods: Set<HTTPMethod>

    /// Makes a serializer.
    ///
    /// - Parameters:
    ///   - dataPreprocessor: The preprocessor of the body.
    ///   - emptyResponseCodes: The status codes of responses that may be empty, which gives empty data.
    ///   - emptyRequestMethods: The methods whose responses may be empty.
    public init(
        dataPreprocessor: any DataPreprocessor = DataResponseSerializer.defaultDataPreprocessor,
        emptyResponseCodes: Set<Int> = DataResponseSerializer.defaultEmptyResponseCodes,
        emptyRequestMethods: Set<HTTPMethod> = DataResponseSerializer.defaultEmptyRequestMethods
    ) {
        self.dataPreprocessor = dataPreprocessor
        self.emptyResponseCodes = emptyResponseCodes
        self.emptyRequestMethods = emptyRequestMethods
    }

    /// Returns the body; empty data for an allowed empty body.
    public func serialize(
        request: URLRequest?, response: HTTPURLResponse?, data: Data?, error: (any Error)?
    ) throws -> Data {
        try body(data, of: request, response, error: error) ?? Data()
    }
}

/// Returns the body as text.
public final class StringResponseSerializer: ResponseSerializer {
    /// The preprocessor of the body.
    public let dataPreprocessor: any DataPreprocessor
    /// The encoding of the text; `nil` for that of the response, as in the initializer.
    public let encoding: String.Encoding?
    /// The status codes of responses that may be empty.
    public let emptyResponseCodes: Set<Int>
    /// The methods whose responses may be empty.
    public let emptyRequestMethods: Set<HTTPMethod>

    /// Makes a serializer.
    ///
    /// - Parameters:
    ///   - dataPreprocessor: The preprocessor of the body.
    ///   - encoding: The encoding of the text; `nil` for the `charset` of the response's `Content-Type`, otherwise
    ///     UTF-8 if the bytes are valid, otherwise ISO Latin 1.
    ///   - emptyResponseCodes: The status codes of responses that may be empty, which gives empty text.
    ///   - emptyRequestMethods: The methods whose responses may be empty.
    public init(
        dataPreprocessor: any DataPreprocessor = StringResponseSerializer.defaultDataPreprocessor,
        encoding: String.Encoding? = nil,
        emptyResponseCodes: Set<Int> = StringResponseSerializer.defaultEmptyResponseCodes,
        emptyRequestMethods: Set<HTTPMethod> = StringResponseSerializer.defaultEmptyRequestMethods
    ) {
        self.dataPreprocessor = dataPreprocessor
        self.encoding = encoding
        self.emptyResponseCodes = emptyResponseCodes
        self.emptyRequestMethods = emptyRequestMethods
    }

    /// Returns the text.
    ///
    /// - Throws: ``SessionError/ResponseSerializationFailureReason/stringSerializationFailed(encoding:)`` for bytes
    ///   that are not text in that encoding.
    public func serialize(
        request: URLRequest?, response: HTTPURLResponse?, data: Data?, error: (any Error)?
    ) throws -> String {
        guard let data = try body(data, of: request, response, error: error) else { return "" }
        let stated = encoding ?? response?.statedEncoding
        if stated == nil, let text = String(data: data, encoding: .utf8) { return text }
        let encoding = stated ?? .isoLatin1
        guard let text = String(data: data, encoding: encoding) else {
            throw SessionError.responseSerializationFailed(reason: .stringSerializationFailed(encoding: encoding))
        }
        return text
    }
}

/// Returns the result of `JSONSerialization` for the body.
@available(*, deprecated, message: "Declare a Decodable type, and use DecodableResponseSerializer")
public final class JSONResponseSerializer: ResponseSerializer {
    /// The preprocessor of the body.
    public let dataPreprocessor: any DataPreprocessor
    /// The status codes of responses that may be empty.
    public let emptyResponseCodes: Set<Int>
    /// The methods whose responses may be empty.
    public let emptyRequestMethods: Set<HTTPMethod>
    /// The reading options.
    public let options: JSONSerialization.ReadingOptions

    /// Makes a serializer.
    public init(
        dataPreprocessor: any DataPreprocessor = PassthroughPreprocessor(), emptyResponseCodes: Set<Int> = [204, 205],
        emptyRequestMethods: Set<HTTPMethod> = [.head], options: JSONSerialization.ReadingOptions = .allowFragments
    ) {
        self.dataPreprocessor = dataPreprocessor
        self.emptyResponseCodes = emptyResponseCodes
        self.emptyRequestMethods = emptyRequestMethods
        self.options = options
    }

    /// Returns the JSON; `NSNull` for an allowed empty body.
    ///
    /// - Throws: ``SessionError/ResponseSerializationFailureReason/jsonSerializationFailed(error:)``.
    public func serialize(
        request: URLRequest?, response: HTTPURLResponse?, data: Data?, error: (any Error)?
    ) throws -> any Sendable {
        guard let data = try body(data, of: request, response, error: error) else { return NSNull() }
        do {
            let value = try JSONSerialization.jsonObject(with: data, options: options)
            // Newly created from numbers, strings, arrays and dictionaries, and not shared. Without `as Any`, Swift 6
            // passes the value in the existential, whose size differs.
            return unsafeBitCast(value as Any, to: (any Sendable).self)
        } catch {
            throw SessionError.responseSerializationFailed(reason: .jsonSerializationFailed(error: error))
        }
    }
}

/// Decodes values from data: `JSONDecoder`, `PropertyListDecoder`, or a custom decoder.
@preconcurrency
public protocol DataDecoder: Sendable {
    /// Decodes a value.
    func decode<D: Decodable>(_ type: D.Type, from data: Data) throws -> D
}

extension JSONDecoder: DataDecoder {}
extension PropertyListDecoder: DataDecoder {}

/// A type with a value for an empty response.
public protocol EmptyResponse: Sendable {
    /// The value of an empty response.
    static func emptyValue() -> Self
}

/// The value of an intentionally empty response.
public struct Empty: Codable, Sendable, Hashable, EmptyResponse {
    /// The only value.
    public static let value = Empty()

    /// The only value.
    public static func emptyValue() -> Empty { value }
}

/// Decodes the body.
public final class DecodableResponseSerializer<T: Decodable & Sendable>: ResponseSerializer {
    /// The preprocessor of the body.
    public let dataPreprocessor: any DataPreprocessor
    /// The decoder of the body.
    public let decoder: any DataDecoder
    /// The status codes of responses that may be empty.
    public let emptyResponseCodes: Set<Int>
    /// The methods whose responses may be empty.
    public let emptyRequestMethods: Set<HTTPMethod>

    /// Makes a serializer.
    ///
    /// - Parameters:
    ///   - dataPreprocessor: The preprocessor of the body.
    ///   - decoder: The decoder of the body.
    ///   - emptyResponseCodes: The status codes of responses that may be empty, if the value is an ``EmptyResponse``.
    ///   - emptyRequestMethods: The methods whose responses may be empty.
    public init(
        dataPreprocessor: any DataPreprocessor = DecodableResponseSerializer.defaultDataPreprocessor,
        decoder: any DataDecoder = JSONDecoder.moyaDefault,
        emptyResponseCodes: Set<Int> = DecodableResponseSerializer.defaultEmptyResponseCodes,
        emptyRequestMethods: Set<HTTPMethod> = DecodableResponseSerializer.defaultEmptyRequestMethods
    ) {
        self.dataPreprocessor = dataPreprocessor
        self.decoder = decoder
        self.emptyResponseCodes = emptyResponseCodes
        self.emptyRequestMethods = emptyRequestMethods
    }

    /// Returns the decoded value.
    ///
    /// - Throws: ``SessionError/ResponseSerializationFailureReason/decodingFailed(error:)``, and
    ///   ``SessionError/ResponseSerializationFailureReason/invalidEmptyResponse(type:)`` for an allowed empty body of a
    ///   type without an empty value.
    public func serialize(
        request: URLRequest?, response: HTTPURLResponse?, data: Data?, error: (any Error)?
    ) throws -> T {
        guard let data = try body(data, of: request, response, error: error) else {
            guard let empty = (T.self as? any EmptyResponse.Type)?.emptyValue() as? T else {
                throw SessionError.responseSerializationFailed(reason: .invalidEmptyResponse(type: "\(T.self)"))
            }
            return empty
        }
        do {
            return try BoundedDepth.decode(T.self, from: data, with: decoder)
        } catch {
            throw SessionError.responseSerializationFailed(reason: .decodingFailed(error: error))
        }
    }
}

/// Returns the file of a download.
public struct URLResponseSerializer: DownloadResponseSerializerProtocol {
    /// Makes a serializer.
    public init() {}

    /// Returns the file.
    public func serializeDownload(
        request: URLRequest?, response: HTTPURLResponse?, fileURL: URL?, error: (any Error)?
    ) throws -> URL {
        if let error { throw error }
        guard let fileURL else { throw SessionError.responseSerializationFailed(reason: .inputFileNil) }
        return fileURL
    }
}

extension DownloadResponseSerializerProtocol where Self == URLResponseSerializer {
    /// Returns the file of a download.
    public static var url: URLResponseSerializer { URLResponseSerializer() }
}

extension DataResponseSerializerProtocol where Self == DataResponseSerializer {
    /// Returns the body unchanged.
    public static var data: DataResponseSerializer { DataResponseSerializer() }

    /// Returns the body after a preprocessor, and empty data for an allowed empty body.
    public static func data(
        dataPreprocessor: any DataPreprocessor = DataResponseSerializer.defaultDataPreprocessor,
        emptyResponseCodes: Set<Int> = DataResponseSerializer.defaultEmptyResponseCodes,
        emptyRequestMethods: Set<HTTPMethod> = DataResponseSerializer.defaultEmptyRequestMethods
    ) -> DataResponseSerializer {
        DataResponseSerializer(
            dataPreprocessor: dataPreprocessor, emptyResponseCodes: emptyResponseCodes,
            emptyRequestMethods: emptyRequestMethods)
    }
}

extension DataResponseSerializerProtocol where Self == StringResponseSerializer {
    /// Returns the body as text.
    public static var string: StringResponseSerializer { StringResponseSerializer() }

    /// Returns the body as text in an encoding; `nil` for that of the response.
    public static func string(
        dataPreprocessor: any DataPreprocessor = StringResponseSerializer.defaultDataPreprocessor,
        encoding: String.Encoding? = nil,
        emptyResponseCodes: Set<Int> = StringResponseSerializer.defaultEmptyResponseCodes,
        emptyRequestMethods: Set<HTTPMethod> = StringResponseSerializer.defaultEmptyRequestMethods
    ) -> StringResponseSerializer {
        StringResponseSerializer(
            dataPreprocessor: dataPreprocessor, encoding: encoding, emptyResponseCodes: emptyResponseCodes,
            emptyRequestMethods: emptyRequestMethods)
    }
}

extension DataResponseSerializerProtocol {
    /// Decodes the body; an allowed empty body gives the value of an ``EmptyResponse``.
    public static func decodable<T: Decodable & Sendable>(
        of type: T.Type = T.self,
        dataPreprocessor: any DataPreprocessor = DecodableResponseSerializer<T>.defaultDataPreprocessor,
        decoder: any DataDecoder = JSONDecoder.moyaDefault,
        emptyResponseCodes: Set<Int> = DecodableResponseSerializer<T>.defaultEmptyResponseCodes,
        emptyRequestMethods: Set<HTTPMethod> = DecodableResponseSerializer<T>.defaultEmptyRequestMethods
    ) -> DecodableResponseSerializer<T> where Self == DecodableResponseSerializer<T> {
        DecodableResponseSerializer(
            dataPreprocessor: dataPreprocessor, decoder: decoder, emptyResponseCodes: emptyResponseCodes,
            emptyRequestMethods: emptyRequestMethods)
    }
}
