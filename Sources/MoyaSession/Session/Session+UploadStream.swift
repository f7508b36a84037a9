extension Session {
    /// Makes a request from its parts whose body is a sequence, read as it is sent.
    @preconcurrency
    public func upload(
        _ stream: UploadStream,
        to convertible: any URLConvertible,
        method: HTTPMethod = .post,
        headers: HTTPHeaders? = nil,
        interceptor: (any RequestInterceptor)? = nil,
        requestModifier: RequestModifier? = nil
    ) -> UploadRequest {
        upload(
            stream,
            with: RequestParts(url: convertible, method: method, headers: headers, modifier: requestModifier),
            interceptor: interceptor)
    }
}
