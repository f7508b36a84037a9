public import Foundation
public import MoyaTransport

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// The result of a request whose body is in memory.
public struct DataResponse<Success, Failure: Error> {
    /// The last `URLRequest` made.
    public let request: URLRequest?
    /// The server's response.
    public let response: HTTPURLResponse?
    /// The body; `nil` when no byte came.
    public let data: Data?
    /// The transport's measurements of the last exchange.
    public let metrics: TransportMetrics?
    /// The time spent on making the value of the body, in seconds.
    public let serializationDuration: TimeInterval
    /// The value or the error.
    public let result: Result<Success, Failure>

    /// The trailer fields, which came after the body (RFC 9110 section 6.5).
    ///
    /// They are there where the server sends some and the transport has them: that over libcurl does, `URLSession` has none.
    /// Values of one name are joined with commas.
    public var trailers: HTTPHeaders { HTTPHeaders(joining: trailerLines) }

    private var trailerLines: [HTTPField] = []

    /// Makes a response of its parts.
    public init(
        request: URLRequest?, response: HTTPURLResponse?, data: Data?, metrics: TransportMetrics?,
        serializationDuration: TimeInterval, result: Result<Success, Failure>
    ) {
        self.request = request
        self.response = response
        self.data = data
        self.metrics = metrics
        self.serializationDuration = serializationDuration
        self.result = result
    }

    /// Makes a response with the trailer fields that came after its body.
    init(
        _ outcome: RequestOutcome, serializationDuration: TimeInterval, result: Result<Success, Failure>
    ) {
        self.init(
            request: outcome.request, response: outcome.httpResponse, data: outcome.data, metrics: outcome.metrics,
            serializationDuration: serializationDuration, result: result)
        trailerLines = outcome.trailers
    }

    /// The value, when all went well.
    public var value: Success? { try? result.get() }
    /// The error, when something went wrong.
    public var error: Failure? { if case .failure(let error) = result { error } else { nil } }

    /// The same response with its value changed.
    public func map<New>(_ transform: (Success) -> New) -> DataResponse<New, Failure> {
        with(result.map(transform))
    }

    /// The same response with its value changed by a closure whose error becomes the response's.
    public func tryMap<New>(_ transform: (Success) throws -> New) -> DataResponse<New, any Error> {
        with(result.mapError { $0 }.flatMap { value in Result { try transform(value) } })
    }

    /// The same response with its error changed.
    public func mapError<New: Error>(_ transform: (Failure) -> New) -> DataResponse<Success, New> {
        with(result.mapError(transform))
    }

    /// The same response with its error changed by a closure whose own error takes its place.
    public func tryMapError<New: Error>(_ transform: (Failure) throws -> New) -> DataResponse<Success, any Error> {
        with(result.mapError { $0.mapped(by: transform) })
    }

    private func with<S, F: Error>(_ result: Result<S, F>) -> DataResponse<S, F> {
        var response = DataResponse<S, F>(
            request: request, response: response, data: data, metrics: metrics,
            serializationDuration: serializationDuration, result: result)
        response.trailerLines = trailerLines
        return response
    }
}

extension Error {
    fileprivate func mapped<New: Error>(by transform: (Self) throws -> New) -> any Error {
        do { return try transform(self) } catch { return error }
    }
}

/// The result of a request whose body is in a file.
public struct DownloadResponse<Success, Failure: Error> {
    /// The last `URLRequest` made.
    public let request: URLRequest?
    /// The server's response.
    public let response: HTTPURLResponse?
    /// The file of the body.
    public let fileURL: URL?
    /// The transport's measurements of the last exchange.
    public let metrics: TransportMetrics?
    /// The time spent on making the value of the body, in seconds.
    public let serializationDuration: TimeInterval
    /// The value or the error.
    public let result: Result<Success, Failure>

    /// The trailer fields, which came after the body (RFC 9110 section 6.5).
    ///
    /// They are there where the server sends some and the transport has them: that over libcurl does, `URLSession` has none.
    /// Values of one name are joined with commas.
    public var trailers: HTTPHeaders { HTTPHeaders(joining: trailerLines) }

    private let trailerLines: [HTTPField]
    private let partial: PartialDownload?

    init(
        request: URLRequest?, response: HTTPURLResponse?, fileURL: URL?, partial: PartialDownload?,
        metrics: TransportMetrics?, trailers: [HTTPField] = [], serializationDuration: TimeInterval,
        result: Result<Success, Failure>
    ) {
        trailerLines = trailers
        self.request = request
        self.response = response
        self.fileURL = fileURL
        self.partial = partial
        self.metrics = metrics
        self.serializationDuration = serializationDuration
        self.result = result
    }

    /// The data to resume a download that broke off; see ``DownloadRequest/resumeData``.
    public var resumeData: Data? { partial?.claim() }
    /// The value, when all went well.
    public var value: Success? { try? result.get() }
    /// The error, when something went wrong.
    public var error: Failure? { if case .failure(let error) = result { error } else { nil } }

    /// The same response with its value changed.
    public func map<New>(_ transform: (Success) -> New) -> DownloadResponse<New, Failure> {
        with(result.map(transform))
    }

    /// The same response with its value changed by a closure whose error becomes the response's.
    public func tryMap<New>(_ transform: (Success) throws -> New) -> DownloadResponse<New, any Error> {
        with(result.mapError { $0 }.flatMap { value in Result { try transform(value) } })
    }

    /// The same response with its error changed.
    public func mapError<New: Error>(_ transform: (Failure) -> New) -> DownloadResponse<Success, New> {
        with(result.mapError(transform))
    }

    /// The same response with its error changed by a closure whose own error takes its place.
    public func tryMapError<New: Error>(_ transform: (Failure) throws -> New) -> DownloadResponse<Success, any Error> {
        with(result.mapError { $0.mapped(by: transform) })
    }

    private func with<S, F: Error>(_ result: Result<S, F>) -> DownloadResponse<S, F> {
        DownloadResponse<S, F>(
            request: request, response: response, fileURL: fileURL, partial: partial, metrics: metrics,
            trailers: trailerLines, serializationDuration: serializationDuration, result: result)
    }
}

extension DataResponse: Sendable where Success: Sendable {}
extension DownloadResponse: Sendable where Success: Sendable {}

/// A ``DataResponse`` that fails with ``SessionError``.
public typealias AFDataResponse<Success> = DataResponse<Success, SessionError>
/// A ``DownloadResponse`` that fails with ``SessionError``.
public typealias AFDownloadResponse<Success> = DownloadResponse<Success, SessionError>
/// A `Result` that fails with ``SessionError``.
public typealias AFResult<Success> = Result<Success, SessionError>
