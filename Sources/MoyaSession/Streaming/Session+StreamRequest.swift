/// The requests whose body is passed to closures as it arrives.
extension Session {
    /// Makes a request whose body is passed to closures as it arrives.
    ///
    /// - Parameters:
    ///   - convertible: The request.
    ///   - automaticallyCancelOnStreamError: `true` to cancel the request when a serializer fails.
    ///   - interceptor: Adapts and retries the request, after the session's.
    public func streamRequest(
        _ convertible: any URLRequestConvertible, automaticallyCancelOnStreamError: Bool = false,
        interceptor: (any RequestInterceptor)? = nil
    ) -> DataStreamRequest {
        DataStreamRequest(
            core: core, convertible: convertible, interceptor: interceptor,
            cancelsOnError: automaticallyCancelOnStreamError)
    }

    /// Makes a request from its parts whose body is passed to closures as it arrives.
    @preconcurrency
    public func streamRequest(
        _ convertible: any URLConvertible, method: HTTPMethod = .get, headers: HTTPHeaders? = nil,
        automaticallyCancelOnStreamError: Bool = false, interceptor: (any RequestInterceptor)? = nil,
        requestModifier: RequestModifier? = nil
    ) -> DataStreamRequest {
        streamRequest(
            RequestParts(url: convertible, method: method, headers: headers, modifier: requestModifier),
            automaticallyCancelOnStreamError: automaticallyCancelOnStreamError, interceptor: interceptor)
    }

    /// Makes a request from its parts, its parameters an `Encodable` value, whose body is passed to closures as it arrives.
    @preconcurrency
    public func streamRequest<P: Encodable & Sendable>(
        _ convertible: any URLConvertible, method: HTTPMethod = .get, parameters: P? = nil,
        encoder: any ParameterEncoder = URLEncodedFormParameterEncoder.default, headers: HTTPHeaders? = nil,
        automaticallyCancelOnStreamError: Bool = false, interceptor: (any RequestInterceptor)? = nil,
        requestModifier: RequestModifier? = nil
    ) -> DataStreamRequest {
        streamRequest(
            RequestParts(url: convertible, method: method, headers: headers, modifier: requestModifier) {
                try encoder.encode(parameters, into: $0)
            },
            automaticallyCancelOnStreamError: automaticallyCancelOnStreamError, interceptor: interceptor)
    }
}

/// Forms with `shouldAutomaticallyResume:`, in place of the session's `startRequestsImmediately`.
extension Session {
    /// Makes a request whose body is passed to closures as it arrives.
    public func streamRequest(
        _ convertible: any URLRequestConvertible, automaticallyCancelOnStreamError: Bool = false,
        interceptor: (any RequestInterceptor)? = nil, shouldAutomaticallyResume: Bool?
    ) -> DataStreamRequest {
        streamRequest(
            convertible, automaticallyCancelOnStreamError: automaticallyCancelOnStreamError, interceptor: interceptor
        ).startingImmediately(shouldAutomaticallyResume)
    }

    /// Makes a request from its parts whose body is passed to closures as it arrives.
    @preconcurrency
    public func streamRequest(
        _ convertible: any URLConvertible, method: HTTPMethod = .get, headers: HTTPHeaders? = nil,
        automaticallyCancelOnStreamError: Bool = false, interceptor: (any RequestInterceptor)? = nil,
        requestModifier: RequestModifier? = nil, shouldAutomaticallyResume: Bool?
    ) -> DataStreamRequest {
        streamRequest(
            convertible, method: method, headers: headers,
            automaticallyCancelOnStreamError: automaticallyCancelOnStreamError, interceptor: interceptor,
            requestModifier: requestModifier
        ).startingImmediately(shouldAutomaticallyResume)
    }

    /// Makes a request whose parameters are an `Encodable` value and whose body is passed to closures as it arrives.
    @preconcurrency
    public func streamRequest<P: Encodable & Sendable>(
        _ convertible: any URLConvertible, method: HTTPMethod = .get, parameters: P? = nil,
        encoder: any ParameterEncoder = URLEncodedFormParameterEncoder.default, headers: HTTPHeaders? = nil,
        automaticallyCancelOnStreamError: Bool = false, interceptor: (any RequestInterceptor)? = nil,
        requestModifier: RequestModifier? = nil, shouldAutomaticallyResume: Bool?
    ) -> DataStreamRequest {
        streamRequest(
            convertible, method: method, parameters: parameters, encoder: encoder, headers: headers,
            automaticallyCancelOnStreamError: automaticallyCancelOnStreamError, interceptor: interceptor,
            requestModifier: requestModifier
        ).startingImmediately(shouldAutomaticallyResume)
    }
}
