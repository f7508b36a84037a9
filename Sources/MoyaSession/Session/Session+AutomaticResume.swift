public import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The calls that say for one request whether its first response handler starts it.
///
/// In each, `shouldAutomaticallyResume` is `nil` to go by the session's ``Session/startRequestsImmediately``. They make
/// their requests by the methods without it, so that a subclass overrides both at once.
extension Session {
    /// Makes a request whose response is gathered in memory.
    public func request(
        _ convertible: any URLRequestConvertible, interceptor: (any RequestInterceptor)? = nil,
        shouldAutomaticallyResume: Bool?
    ) -> DataRequest {
        request(convertible, interceptor: interceptor).startingImmediately(shouldAutomaticallyResume)
    }

    /// Makes a request from its parts whose response is gathered in memory.
    @preconcurrency
    public func request(
        _ convertible: any URLConvertible, method: HTTPMethod = .get, parameters: Parameters? = nil,
        encoding: any ParameterEncoding = URLEncoding.default, headers: HTTPHeaders? = nil,
        interceptor: (any RequestInterceptor)? = nil, requestModifier: RequestModifier? = nil,
        shouldAutomaticallyResume: Bool?
    ) -> DataRequest {
        request(
            convertible, method: method, parameters: parameters, encoding: encoding, headers: headers,
            interceptor: interceptor, requestModifier: requestModifier
        ).startingImmediately(shouldAutomaticallyResume)
    }

    /// Makes a request from its parts, its parameters an `Encodable` value, whose response is gathered in memory.
    @preconcurrency
    public func request<P: Encodable & Sendable>(
        _ convertible: any URLConvertible, method: HTTPMethod = .get, parameters: P? = nil,
        encoder: any ParameterEncoder = URLEncodedFormParameterEncoder.default, headers: HTTPHeaders? = nil,
        interceptor: (any RequestInterceptor)? = nil, requestModifier: RequestModifier? = nil,
        shouldAutomaticallyResume: Bool?
    ) -> DataRequest {
        request(
            convertible, method: method, parameters: parameters, encoder: encoder, headers: headers,
            interceptor: interceptor, requestModifier: requestModifier
        ).startingImmediately(shouldAutomaticallyResume)
    }

    /// Makes a request whose response goes to a file: to the destination, or where it was written.
    @preconcurrency
    public func download(
        _ convertible: any URLRequestConvertible, interceptor: (any RequestInterceptor)? = nil,
        shouldAutomaticallyResume: Bool?, to destination: DownloadRequest.Destination? = nil
    ) -> DownloadRequest {
        download(convertible, interceptor: interceptor, to: destination)
            .startingImmediately(shouldAutomaticallyResume)
    }

    /// Makes a request from its parts whose response goes to a file: to the destination, or where it was written.
    @preconcurrency
    public func download(
        _ convertible: any URLConvertible, method: HTTPMethod = .get, parameters: Parameters? = nil,
        encoding: any ParameterEncoding = URLEncoding.default, headers: HTTPHeaders? = nil,
        interceptor: (any RequestInterceptor)? = nil, requestModifier: RequestModifier? = nil,
        shouldAutomaticallyResume: Bool?, to destination: DownloadRequest.Destination? = nil
    ) -> DownloadRequest {
        download(
            convertible, method: method, parameters: parameters, encoding: encoding, headers: headers,
            interceptor: interceptor, requestModifier: requestModifier, to: destination
        ).startingImmediately(shouldAutomaticallyResume)
    }

    /// Goes on with a download that was broken off.
    @preconcurrency
    public func download(
        resumingWith data: Data, interceptor: (any RequestInterceptor)? = nil, shouldAutomaticallyResume: Bool?,
        to destination: DownloadRequest.Destination? = nil
    ) -> DownloadRequest {
        download(resumingWith: data, interceptor: interceptor, to: destination)
            .startingImmediately(shouldAutomaticallyResume)
    }

    /// Makes a request whose body is in memory.
    public func upload(
        _ data: Data, with convertible: any URLRequestConvertible, interceptor: (any RequestInterceptor)? = nil,
        fileManager: FileManager = .default, shouldAutomaticallyResume: Bool?
    ) -> UploadRequest {
        upload(data, with: convertible, interceptor: interceptor, fileManager: fileManager)
            .startingImmediately(shouldAutomaticallyResume)
    }

    /// Makes a request whose body is a file, read as it is sent.
    public func upload(
        _ fileURL: URL, with convertible: any URLRequestConvertible, interceptor: (any RequestInterceptor)? = nil,
        fileManager: FileManager = .default, shouldAutomaticallyResume: Bool?
    ) -> UploadRequest {
        upload(fileURL, with: convertible, interceptor: interceptor, fileManager: fileManager)
            .startingImmediately(shouldAutomaticallyResume)
    }

    /// Makes a request whose body is a stream, read once as it is sent.
    public func upload(
        _ stream: InputStream, with convertible: any URLRequestConvertible,
        interceptor: (any RequestInterceptor)? = nil, fileManager: FileManager = .default,
        shouldAutomaticallyResume: Bool?
    ) -> UploadRequest {
        upload(stream, with: convertible, interceptor: interceptor, fileManager: fileManager)
            .startingImmediately(shouldAutomaticallyResume)
    }

    /// Makes a request from its parts whose body is in memory.
    @preconcurrency
    public func upload(
        _ data: Data, to convertible: any URLConvertible, method: HTTPMethod = .post, headers: HTTPHeaders? = nil,
        interceptor: (any RequestInterceptor)? = nil, fileManager: FileManager = .default,
        requestModifier: RequestModifier? = nil, shouldAutomaticallyResume: Bool?
    ) -> UploadRequest {
        upload(
            data, to: convertible, method: method, headers: headers, interceptor: interceptor,
            fileManager: fileManager, requestModifier: requestModifier
        ).startingImmediately(shouldAutomaticallyResume)
    }

    /// Makes a request from its parts whose body is a file, read as it is sent.
    @preconcurrency
    public func upload(
        _ fileURL: URL, to convertible: any URLConvertible, method: HTTPMethod = .post, headers: HTTPHeaders? = nil,
        interceptor: (any RequestInterceptor)? = nil, fileManager: FileManager = .default,
        requestModifier: RequestModifier? = nil, shouldAutomaticallyResume: Bool?
    ) -> UploadRequest {
        upload(
            fileURL, to: convertible, method: method, headers: headers, interceptor: interceptor,
            fileManager: fileManager, requestModifier: requestModifier
        ).startingImmediately(shouldAutomaticallyResume)
    }

    /// Makes a request from its parts whose body is the multipart form that a closure fills, which is called at once.
    @preconcurrency
    public func upload(
        multipartFormData: (RequestMultipartFormData) -> Void, to convertible: any URLConvertible,
        usingThreshold encodingMemoryThreshold: UInt64 = RequestMultipartFormData.encodingMemoryThreshold,
        method: HTTPMethod = .post, headers: HTTPHeaders? = nil, interceptor: (any RequestInterceptor)? = nil,
        fileManager: FileManager = .default, requestModifier: RequestModifier? = nil,
        shouldAutomaticallyResume: Bool?
    ) -> UploadRequest {
        upload(
            multipartFormData: multipartFormData, to: convertible, usingThreshold: encodingMemoryThreshold,
            method: method, headers: headers, interceptor: interceptor, fileManager: fileManager,
            requestModifier: requestModifier
        ).startingImmediately(shouldAutomaticallyResume)
    }

    /// Makes a request whose body is the multipart form that a closure fills, which is called at once.
    @preconcurrency
    public func upload(
        multipartFormData: (RequestMultipartFormData) -> Void, with convertible: any URLRequestConvertible,
        usingThreshold encodingMemoryThreshold: UInt64 = RequestMultipartFormData.encodingMemoryThreshold,
        interceptor: (any RequestInterceptor)? = nil, fileManager: FileManager = .default,
        shouldAutomaticallyResume: Bool?
    ) -> UploadRequest {
        upload(
            multipartFormData: multipartFormData, with: convertible, usingThreshold: encodingMemoryThreshold,
            interceptor: interceptor, fileManager: fileManager
        ).startingImmediately(shouldAutomaticallyResume)
    }
}

extension Request {
    /// Sets, before anybody else has the request, whether its first response handler starts it.
    fileprivate func startingImmediately(_ isImmediate: Bool?) -> Self {
        startsImmediately = isImmediate
        return self
    }
}
