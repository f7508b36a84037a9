import Foundation
public import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A target as a request is made of it.
///
/// `@unchecked`: everything stored here is constant; a subclass answers for what it adds.
open class Endpoint: @unchecked Sendable {
    /// Gives the sample response of a stub, when it is delivered.
    public typealias SampleResponseClosure = @Sendable () -> EndpointSampleResponse

    /// The URL as a string.
    public let url: String
    /// Gives the sample response of a stub.
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

    /// The same endpoint with further header fields, which win over those of exactly the same name.
    open func adding(newHTTPHeaderFields: [String: String]) -> Endpoint {
        guard !newHTTPHeaderFields.isEmpty else { return with(task: task, headers: httpHeaderFields) }
        let merged = (httpHeaderFields ?? [:]).merging(newHTTPHeaderFields) { _, new in new }
        return with(task: task, headers: merged)
    }

    /// The same endpoint with another task.
    open func replacing(task: RequestTask) -> Endpoint { with(task: task, headers: httpHeaderFields) }

    private func with(task: RequestTask, headers: [String: String]?) -> Endpoint {
        Endpoint(
            url: url, sampleResponseClosure: sampleResponseClosure, method: method, task: task,
            httpHeaderFields: headers)
    }
}
