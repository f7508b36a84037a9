public import Foundation

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// Gives the body as it came.
public final class DataResponseSerializer: ResponseSerializer {
    /// Changes the body first.
    public let dataPreprocessor: any DataPreprocessor
    /// The status codes of responses that may be empty.
    public let emptyResponseCodes: Set<Int>
    /// The methods whose responses may be empty.
    public let emptyRequestMethods: Set<HTTPMethod>

    /// Makes a serializer.
    ///
    /// - Parameters:
    ///   - dataPreprocessor: Changes the body first.
    ///   - emptyResponseCodes: The status codes of responses that may be empty, and are empty data then.
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

    /// The body; empty data for an empty one that is allowed.
    public func serialize(
        request: URLRequest?, response: HTTPURLResponse?, data: Data?, error: (any Error)?
    ) throws -> Data {
        try body(data, of: request, response, error: error) ?? Data()
    }
}

/// Gives the body as text.
public final class StringResponseSerializer: ResponseSerializer {
    /// Changes the body first.
    public let dataPreprocessor: any DataPreprocessor
    /// The encoding of the text; `nil` for that of the response's `Content-Type`, or else ISO Latin 1.
    public let encoding: String.Encoding?
    /// The status codes of responses that may be empty.
    public let emptyResponseCodes: Set<Int>
    /// The methods whose responses may be empty.
    public let emptyRequestMethods: Set<HTTPMethod>

    /// Makes a serializer.
    ///
    /// - Parameters:
    ///   - dataPreprocessor: Changes the body first.
    ///   - encoding: The encoding of the text; `nil` for the `charset` of the response's `Content-Type`, or else UTF-8
    ///     where the bytes are that, and ISO Latin 1 where they are not.
    ///   - emptyResponseCodes: The status codes of responses that may be empty, and are empty text then.
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

    /// The text.
    ///
    /// - Throws: ``SessionError/ResponseSerializationFailureReason/stringSerializationFailed(encoding:)`` for bytes that
    ///   are no text in that encoding.
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

extension HTTPURLResponse {
    /// The encoding that `charset` in `Content-Type` names, where it is a usual one.
    fileprivate var statedEncoding: String.Encoding? {
        guard let type = value(forHTTPHeaderField: "Content-Type") else { return nil }
        return switch HeaderParameters.parse(type)["charset"]?.lowercased() {
        case "utf-8", "utf8": .utf8
        case "us-ascii", "ascii": .ascii
        case "iso-8859-1", "latin1": .isoLatin1
        case "iso-8859-2": .isoLatin2
        case "windows-1250": .windowsCP1250
        case "windows-1251": .windowsCP1251
        case "windows-1252": .windowsCP1252
        case "windows-1253": .windowsCP1253
        case "windows-1254": .windowsCP1254
        case "utf-16": .utf16
        case "utf-16be": .utf16BigEndian
        case "utf-16le": .utf16LittleEndian
        case "shift_jis": .shiftJIS
        case "euc-jp": .japaneseEUC
        case "iso-2022-jp": .iso2022JP
        default: nil
        }
    }
}

/// Gives the body as what `JSONSerialization` reads of it.
@available(*, deprecated, message: "Declare a Decodable type, and use DecodableResponseSerializer")
public final class JSONResponseSerializer: ResponseSerializer {
    /// Changes the body first.
    public let dataPreprocessor: any DataPreprocessor
    /// The status codes of responses that may be empty.
    public let emptyResponseCodes: Set<Int>
    /// The methods whose responses may be empty.
    public let emptyRequestMethods: Set<HTTPMethod>
    /// The options of the reader.
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

    /// The JSON; `NSNull` for an empty body that is allowed.
    ///
    /// - Throws: ``SessionError/ResponseSerializationFailureReason/jsonSerializationFailed(error:)``.
    public func serialize(
        request: URLRequest?, response: HTTPURLResponse?, data: Data?, error: (any Error)?
    ) throws -> any Sendable {
        guard let data = try body(data, of: request, response, error: error) else { return NSNull() }
        do {
            let value = try JSONSerialization.jsonObject(with: data, options: options)
            // Freshly made of numbers, strings, arrays and dictionaries, and held by nobody else.
            return unsafeBitCast(value, to: (any Sendable).self)
        } catch {
            throw SessionError.responseSerializationFailed(reason: .jsonSerializationFailed(error: error))
        }
    }
}

/// Decodes values of data: `JSONDecoder`, `PropertyListDecoder`, or one of an app's own.
@preconcurrency
public protocol DataDecoder: Sendable {
    /// Decodes a value.
    func decode<D: Decodable>(_ type: D.Type, from data: Data) throws -> D
}

extension JSONDecoder: DataDecoder {}
extension PropertyListDecoder: DataDecoder {}

/// A type that has a value for an empty response.
public protocol EmptyResponse: Sendable {
    /// The value of an empty response.
    static func emptyValue() -> Self
}

/// The value of a response that is empty on purpose.
public struct Empty: Codable, Sendable, Hashable, EmptyResponse {
    /// The value.
    public static let value = Empty()

    /// The value.
    public static func emptyValue() -> Empty { value }
}

/// Decodes the body.
public final class DecodableResponseSerializer<T: Decodable & Sendable>: ResponseSerializer {
    /// Changes the body first.
    public let dataPreprocessor: any DataPreprocessor
    /// Decodes the body.
    public let decoder: any DataDecoder
    /// The status codes of responses that may be empty.
    public let emptyResponseCodes: Set<Int>
    /// The methods whose responses may be empty.
    public let emptyRequestMethods: Set<HTTPMethod>

    /// Makes a serializer.
    ///
    /// - Parameters:
    ///   - dataPreprocessor: Changes the body first.
    ///   - decoder: Decodes the body.
    ///   - emptyResponseCodes: The status codes of responses that may be empty, where the value is an
    ///     ``EmptyResponse``.
    ///   - emptyRequestMethods: The methods whose responses may be empty.
    public init(
        dataPreprocessor: any DataPreprocessor = DecodableResponseSerializer.defaultDataPreprocessor,
        decoder: any DataDecoder = JSONDecoder(),
        emptyResponseCodes: Set<Int> = DecodableResponseSerializer.defaultEmptyResponseCodes,
        emptyRequestMethods: Set<HTTPMethod> = DecodableResponseSerializer.defaultEmptyRequestMethods
    ) {
        self.dataPreprocessor = dataPreprocessor
        self.decoder = decoder
        self.emptyResponseCodes = emptyResponseCodes
        self.emptyRequestMethods = emptyRequestMethods
    }

    /// The value.
    ///
    /// - Throws: ``SessionError/ResponseSerializationFailureReason/decodingFailed(error:)``, and
    ///   ``SessionError/ResponseSerializationFailureReason/invalidEmptyResponse(type:)`` for an empty body that is
    ///   allowed and has no value.
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
            return try decoder.decode(T.self, from: data)
        } catch {
            throw SessionError.responseSerializationFailed(reason: .decodingFailed(error: error))
        }
    }
}

/// Gives the file of a download.
public struct URLResponseSerializer: DownloadResponseSerializerProtocol {
    /// Makes a serializer.
    public init() {}

    /// The file.
    public func serializeDownload(
        request: URLRequest?, response: HTTPURLResponse?, fileURL: URL?, error: (any Error)?
    ) throws -> URL {
        if let error { throw error }
        guard let fileURL else { throw SessionError.responseSerializationFailed(reason: .inputFileNil) }
        return fileURL
    }
}

extension ResponseSerializer where Self == DataResponseSerializer {
    /// Gives the body as it came.
    public static var data: DataResponseSerializer { DataResponseSerializer() }
}

extension ResponseSerializer where Self == StringResponseSerializer {
    /// Gives the body as text.
    public static var string: StringResponseSerializer { StringResponseSerializer() }

    /// Gives the body as text in an encoding.
    public static func string(encoding: String.Encoding) -> StringResponseSerializer {
        StringResponseSerializer(encoding: encoding)
    }
}

extension ResponseSerializer {
    /// Decodes the body.
    public static func decodable<T: Decodable & Sendable>(
        of type: T.Type = T.self, decoder: any DataDecoder = JSONDecoder()
    ) -> DecodableResponseSerializer<T> where Self == DecodableResponseSerializer<T> {
        DecodableResponseSerializer(decoder: decoder)
    }
}
