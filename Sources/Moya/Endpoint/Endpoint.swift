import Foundation
public import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The parts of the request for a target.
///
/// `@unchecked`: all stored properties are constant; a subclass is responsible for its own.
open class Endpoint: @unchecked Sendable {
    /// Returns the sample response of a stub, when it is delivered.
    @preconcurrency
    public typealias SampleResponseClosure = @Sendable () -> EndpointSampleResponse

    /// The URL as a string.
    public let url: String
    /// The closure that returns the sample response of a stub.
    public let sampleResponseClosure: SampleResponseClosure
    /// The HTTP method.
    public let method: Method
    /// The kind of request and the way its response is received.
    public let task: RequestTask
    /// The header fields.
    public let httpHeaderFields: [String: String]?

    /// Makes an endpoint.
    @preconcurrency
    public init(
        url: String,
        sampleResponseClosure: @escaping SampleResponseClosure,
        method: Method,
        task: RequestTask,
        httpHeaderFields: [String: String]?
    ) {
        self.url = url
        self.sampleResponseClosure = sampleResponseClosure
        self.method = method
        self.task = task
        self.httpHeaderFields = httpHeaderFields
    }

    /// Returns an endpoint with additional header fields, which replace those of exactly the same name.
    open func adding(newHTTPHeaderFields: [String: String]) -> Endpoint {
        guard !newHTTPHeaderFields.isEmpty else { return with(task: task, headers: httpHeaderFields) }
        let merged = (httpHeaderFields ?? [:]).merging(newHTTPHeaderFields) { _, new in new }
        return with(task: task, headers: merged)
    }

    /// Returns an endpoint with another task.
    open func replacing(task: RequestTask) -> Endpoint { with(task: task, headers: httpHeaderFields) }

    private func with(task: RequestTask, headers: [String: String]?) -> Endpoint {
        Endpoint(
            url: url, sampleResponseClosure: sampleResponseClosure, method: method, task: task,
            httpHeaderFields: headers)
    }
}
