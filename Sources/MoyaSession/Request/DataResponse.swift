public import Foundation

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// How a request whose body is in memory ended.
public struct DataResponse<Success: Sendable, Failure: Error>: Sendable {
    /// The last `URLRequest` made.
    public let request: URLRequest?
    /// The server's response.
    public let response: HTTPURLResponse?
    /// The body; `nil` when no byte came.
    public let data: Data?
    /// What the transport measured, when that was asked for.
    public let metrics: TransportMetrics?
    /// The value or the error.
    public let result: Result<Success, Failure>

    /// The value, when all went well.
    public var value: Success? { try? result.get() }
    /// The error, when something went wrong.
    public var error: Failure? { if case .failure(let error) = result { error } else { nil } }
}

/// How a request whose body is in a file ended.
public struct DownloadResponse<Success: Sendable, Failure: Error>: Sendable {
    /// The last `URLRequest` made.
    public let request: URLRequest?
    /// The server's response.
    public let response: HTTPURLResponse?
    /// Where the body is.
    public let fileURL: URL?
    /// What the transport measured, when that was asked for.
    public let metrics: TransportMetrics?
    /// The value or the error.
    public let result: Result<Success, Failure>

    /// The value, when all went well.
    public var value: Success? { try? result.get() }
    /// The error, when something went wrong.
    public var error: Failure? { if case .failure(let error) = result { error } else { nil } }
}

/// A ``DataResponse`` that fails with ``SessionError``.
public typealias AFDataResponse<Success: Sendable> = DataResponse<Success, SessionError>
/// A ``DownloadResponse`` that fails with ``SessionError``.
public typealias AFDownloadResponse<Success: Sendable> = DownloadResponse<Success, SessionError>
