public import Foundation
public import MoyaTransport

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// The result of a request with its body in memory.
public struct DataResponse<Success, Failure: Error> {
    /// The last `URLRequest` that was made.
    public let request: URLRequest?
    /// The server's response.
    public let response: HTTPURLResponse?
    /// The body; `nil` if it is empty.
    public let data: Data?
    /// The metrics of the last exchange.
    public let metrics: TransportMetrics?
    /// The duration of serialization, in seconds.
    public let serializationDuration: TimeInterval
    /// The value or the error.
    public let result: Result<Success, Failure>

    /// The trailer fields, which follow the body (RFC 9110 section 6.5).
    ///
    /// Trailers are available with the libcurl transport; `URLSession` does not provide them. Values of equal names are
    /// joined with commas.
    public var trailers: HTTPHeaders { HTTPHeaders(joining: trailerLines) }

    private var trailerLines: [HTTPField] = []
    /// Notifies a monitor of the value that a serializer made, in whose place an event has the body.
    var notification: (@Sendable (any EventMonitor, DataRequest) -> Void)?

    /// Makes a response from its parts.
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

    /// Makes a response with the trailer fields of an outcome.
    init(
        _ outcome: RequestOutcome, serializationDuration: TimeInterval, result: Result<Success, Failure>
    ) {
        self.init(
            request: outcome.request, response: outcome.httpResponse, data: outcome.data, metrics: outcome.metrics,
            serializationDuration: serializationDuration, result: result)
        trailerLines = outcome.trailers
    }

    /// The value; `nil` after a failure.
    public var value: Success? { try? result.get() }
    /// The error; `nil` after a success.
    public var error: Failure? { if case .failure(let error) = result { error } else { nil } }

    /// Returns the response with its value transformed.
    public func map<New>(_ transform: (Success) -> New) -> DataResponse<New, Failure> {
        with(result.map(transform))
    }

    /// Returns the response with its value transformed by a closure; an error of the closure becomes that of the
    /// response.
    public func tryMap<New>(_ transform: (Success) throws -> New) -> DataResponse<New, any Error> {
        with(result.mapError { $0 }.flatMap { value in Result { try transform(value) } })
    }

    /// Returns the response with its error transformed.
    public func mapError<New: Error>(_ transform: (Failure) -> New) -> DataResponse<Success, New> {
        with(result.mapError(transform))
    }

    /// Returns the response with its error transformed by a closure; an error of the closure replaces it.
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

/// The result of a request with its body in a file.
public struct DownloadResponse<Success, Failure: Error> {
    /// The last `URLRequest` that was made.
    public let request: URLRequest?
    /// The server's response.
    public let response: HTTPURLResponse?
    /// The file that contains the body.
    public let fileURL: URL?
    /// The metrics of the last exchange.
    public let metrics: TransportMetrics?
    /// The duration of serialization, in seconds.
    public let serializationDuration: TimeInterval
    /// The value or the error.
    public let result: Result<Success, Failure>

    /// The trailer fields, which follow the body (RFC 9110 section 6.5).
    ///
    /// Trailers are available with the libcurl transport; `URLSession` does not provide them. Values of equal names are
    /// joined with commas.
    public var trailers: HTTPHeaders { HTTPHeaders(joining: trailerLines) }

    private let trailerLines: [HTTPField]
    private let partial: PartialDownload?
    /// The resume data of a response that was made from its parts.
    private var givenData: Data?
    /// Notifies a monitor of the value that a serializer made, in whose place an event has the file.
    var notification: (@Sendable (any EventMonitor, DownloadRequest) -> Void)?

    /// Makes a response from its parts.
    public init(
        request: URLRequest?, response: HTTPURLResponse?, fileURL: URL?, resumeData: Data?, metrics: TransportMetrics?,
        serializationDuration: TimeInterval, result: Result<Success, Failure>
    ) {
        self.init(
            request: request, response: response, fileURL: fileURL, partial: nil, metrics: metrics,
            serializationDuration: serializationDuration, result: result)
        givenData = resumeData
    }

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

    /// The data to resume an interrupted download; see ``DownloadRequest/resumeData``.
    public var resumeData: Data? { givenData ?? partial?.claim() }
    /// The value; `nil` after a failure.
    public var value: Success? { try? result.get() }
    /// The error; `nil` after a success.
    public var error: Failure? { if case .failure(let error) = result { error } else { nil } }

    /// Returns the response with its value transformed.
    public func map<New>(_ transform: (Success) -> New) -> DownloadResponse<New, Failure> {
        with(result.map(transform))
    }

    /// Returns the response with its value transformed by a closure; an error of the closure becomes that of the
    /// response.
    public func tryMap<New>(_ transform: (Success) throws -> New) -> DownloadResponse<New, any Error> {
        with(result.mapError { $0 }.flatMap { value in Result { try transform(value) } })
    }

    /// Returns the response with its error transformed.
    public func mapError<New: Error>(_ transform: (Failure) -> New) -> DownloadResponse<Success, New> {
        with(result.mapError(transform))
    }

    /// Returns the response with its error transformed by a closure; an error of the closure replaces it.
    public func tryMapError<New: Error>(_ transform: (Failure) throws -> New) -> DownloadResponse<Success, any Error> {
        with(result.mapError { $0.mapped(by: transform) })
    }

    private func with<S, F: Error>(_ result: Result<S, F>) -> DownloadResponse<S, F> {
        var response = DownloadResponse<S, F>(
            request: request, response: response, fileURL: fileURL, partial: partial, metrics: metrics,
            trailers: trailerLines, serializationDuration: serializationDuration, result: result)
        response.givenData = givenData
        return response
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
