public import MoyaSession

extension Endpoint {
    /// Makes an endpoint without header fields, as up to Moya 9.
    ///
    /// - Parameters:
    ///   - url: The URL as a string.
    ///   - sampleResponseClosure: Returns the sample response of a stub.
    ///   - method: The HTTP method.
    ///   - task: The content of the request and the way its response is received.
    @available(*, deprecated, message: "Add httpHeaderFields: nil, or the header fields of the target")
    @preconcurrency
    public convenience init(
        url: String, sampleResponseClosure: @escaping SampleResponseClosure, method: Method, task: RequestTask
    ) {
        self.init(
            url: url, sampleResponseClosure: sampleResponseClosure, method: method, task: task, httpHeaderFields: nil)
    }
}
