public import Foundation

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// Makes a value from a response in memory.
///
/// The response handler receives thrown errors: a ``SessionError`` unchanged, any other as
/// ``SessionError/ResponseSerializationFailureReason/customSerializationFailed(error:)``.
@preconcurrency
public protocol DataResponseSerializerProtocol<SerializedObject>: Sendable {
    /// The type of the value.
    associatedtype SerializedObject: Sendable

    /// Makes the value, on the session's serialization queue.
    ///
    /// - Parameters:
    ///   - request: The last request that was sent.
    ///   - response: The response, if there is one.
    ///   - data: The body; `nil` if no byte arrived.
    ///   - error: The error of the request. Throw it if there is one, unless a value replaces it.
    func serialize(
        request: URLRequest?, response: HTTPURLResponse?, data: Data?, error: (any Error)?
    ) throws -> SerializedObject
}

/// Makes a value from a response in a file.
@preconcurrency
public protocol DownloadResponseSerializerProtocol<SerializedObject>: Sendable {
    /// The type of the value.
    associatedtype SerializedObject: Sendable

    /// Makes the value, on the session's serialization queue.
    ///
    /// - Parameters:
    ///   - request: The last request that was sent.
    ///   - response: The response, if there is one.
    ///   - fileURL: The file of the body.
    ///   - error: The error of the request. Throw it if there is one, unless a value replaces it.
    func serializeDownload(
        request: URLRequest?, response: HTTPURLResponse?, fileURL: URL?, error: (any Error)?
    ) throws -> SerializedObject
}

/// Makes a value from a response, in memory or in a file.
///
/// ### Do I need this?
/// Use it to parse a custom format for requests of a session. A provider maps its responses: `response.map(User.self)`.
///
/// ### Implementation
/// Implement ``DataResponseSerializerProtocol/serialize(request:response:data:error:)``; for a download, the file is
/// read into memory.
@preconcurrency
public protocol ResponseSerializer<SerializedObject>: DataResponseSerializerProtocol,
    DownloadResponseSerializerProtocol
{
    /// The preprocessor of the body.
    var dataPreprocessor: any DataPreprocessor { get }
    /// The methods whose responses may be empty.
    var emptyRequestMethods: Set<HTTPMethod> { get }
    /// The status codes of responses that may be empty.
    var emptyResponseCodes: Set<Int> { get }
}

extension ResponseSerializer {
    /// Returns the body unchanged.
    public static var defaultDataPreprocessor: any DataPreprocessor { PassthroughPreprocessor() }
    /// HEAD.
    public static var defaultEmptyRequestMethods: Set<HTTPMethod> { [.head] }
    /// 204 and 205.
    public static var defaultEmptyResponseCodes: Set<Int> { [204, 205] }

    /// ``defaultDataPreprocessor``.
    public var dataPreprocessor: any DataPreprocessor { Self.defaultDataPreprocessor }
    /// ``defaultEmptyRequestMethods``.
    public var emptyRequestMethods: Set<HTTPMethod> { Self.defaultEmptyRequestMethods }
    /// ``defaultEmptyResponseCodes``.
    public var emptyResponseCodes: Set<Int> { Self.defaultEmptyResponseCodes }

    /// `true` if the request's method allows an empty response; `nil` without a request.
    public func requestAllowsEmptyResponseData(_ request: URLRequest?) -> Bool? {
        request.flatMap(\.method).map(emptyRequestMethods.contains)
    }

    /// `true` if the status code allows an empty response; `nil` without a response.
    public func responseAllowsEmptyResponseData(_ response: HTTPURLResponse?) -> Bool? {
        response.map { emptyResponseCodes.contains($0.statusCode) }
    }

    /// `true` if the request or the response allows an empty body.
    public func emptyResponseAllowed(forRequest request: URLRequest?, response: HTTPURLResponse?) -> Bool {
        requestAllowsEmptyResponseData(request) == true || responseAllowsEmptyResponseData(response) == true
    }

    /// The preprocessed body; `nil` for an allowed empty one.
    func body(
        _ data: Data?, of request: URLRequest?, _ response: HTTPURLResponse?, error: (any Error)?
    ) throws -> Data? {
        if let error { throw error }
        if let data, !data.isEmpty { return try dataPreprocessor.preprocess(data) }
        guard emptyResponseAllowed(forRequest: request, response: response) else {
            throw SessionError.responseSerializationFailed(reason: .inputDataNilOrZeroLength)
        }
        return nil
    }
}

extension DownloadResponseSerializerProtocol where Self: DataResponseSerializerProtocol {
    /// Reads the file into memory, and makes the value from it.
    public func serializeDownload(
        request: URLRequest?, response: HTTPURLResponse?, fileURL: URL?, error: (any Error)?
    ) throws -> SerializedObject {
        if let error { throw error }
        guard let fileURL else { throw SessionError.responseSerializationFailed(reason: .inputFileNil) }
        let data: Data
        do {
            data = try Data(contentsOf: fileURL)
        } catch {
            throw SessionError.responseSerializationFailed(reason: .inputFileReadFailed(at: fileURL))
        }
        return try serialize(request: request, response: response, data: data, error: nil)
    }
}

/// Changes a body before a value is made from it.
@preconcurrency
public protocol DataPreprocessor: Sendable {
    /// Returns the changed body.
    func preprocess(_ data: Data) throws -> Data
}

/// Returns a body unchanged.
public struct PassthroughPreprocessor: DataPreprocessor {
    /// Makes a preprocessor.
    public init() {}

    /// Returns the same body.
    public func preprocess(_ data: Data) -> Data { data }
}

/// Removes the prefix `)]}',` and a line break, which prevents JSON from being run as a script.
public struct GoogleXSSIPreprocessor: DataPreprocessor {
    /// Makes a preprocessor.
    public init() {}

    /// Returns the body without the prefix.
    public func preprocess(_ data: Data) -> Data {
        let prefix = Data(")]}',\n".utf8)
        return data.starts(with: prefix) ? data.dropFirst(prefix.count) : data
    }
}

extension DataPreprocessor where Self == PassthroughPreprocessor {
    /// Returns a body unchanged.
    public static var passthrough: PassthroughPreprocessor { PassthroughPreprocessor() }
}

extension DataPreprocessor where Self == GoogleXSSIPreprocessor {
    /// Removes the prefix that prevents JSON from being run as a script.
    public static var googleXSSI: GoogleXSSIPreprocessor { GoogleXSSIPreprocessor() }
}
