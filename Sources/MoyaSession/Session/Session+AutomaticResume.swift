public import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Methods that set, for one request, whether its first response handler starts it.
///
/// If `shouldAutomaticallyResume` is `nil`, the session's ``Session/startRequestsImmediately`` applies. Each method
/// calls the one without this parameter, so that a subclass's override applies to both.
extension Session {
    /// Makes a request whose response is collected in memory.
    public func request(
        _ convertible: any URLRequestConvertible, interceptor: (any RequestInterceptor)? = nil,
        shouldAutomaticallyResume: Bool?
    ) -> DataRequest {
        request(convertible, interceptor: interceptor).startingImmediately(shouldAutomaticallyResume)
    }

    /// Makes a request from its parts, whose response is collected in memory.
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

    /// Makes a request whose parameters are an `Encodable` value and whose response is collected in memory.
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

    /// Makes a request whose response is written to a file, which is moved to the destination if there is one.
    @preconcurrency
    public func download(
        _ convertible: any URLRequestConvertible, interceptor: (any RequestInterceptor)? = nil,
        shouldAutomaticallyResume: Bool?, to destination: DownloadRequest.Destination? = nil
    ) -> DownloadRequest {
        download(convertible, interceptor: interceptor, to: destination)
            .startingImmediately(shouldAutomaticallyResume)
    }

    /// Makes a request from its parts, whose response is written to a file, which is moved to the destination if there
    /// is one.
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

    /// Makes a request whose parameters are an `Encodable` value and whose response is written to a file.
    @preconcurrency
    public func download<P: Encodable & Sendable>(
        _ convertible: any URLConvertible, method: HTTPMethod = .get, parameters: P? = nil,
        encoder: any ParameterEncoder = URLEncodedFormParameterEncoder.default, headers: HTTPHeaders? = nil,
        interceptor: (any RequestInterceptor)? = nil, requestModifier: RequestModifier? = nil,
        shouldAutomaticallyResume: Bool?, to destination: DownloadRequest.Destination? = nil
    ) -> DownloadRequest {
        download(
            convertible, method: method, parameters: parameters, encoder: encoder, headers: headers,
            interceptor: interceptor, requestModifier: requestModifier, to: destination
        ).startingImmediately(shouldAutomaticallyResume)
    }

    /// Resumes an interrupted download.
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

    /// Makes a request whose body is a stream, which is read once, as it is sent.
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

    /// Makes a request from its parts whose body is a stream, which is read once, as it is sent.
    @preconcurrency
    public func upload(
        _ stream: InputStream, to convertible: any URLConvertible, method: HTTPMethod = .post,
        headers: HTTPHeaders? = nil, interceptor: (any RequestInterceptor)? = nil,
        fileManager: FileManager = .default, requestModifier: RequestModifier? = nil,
        shouldAutomaticallyResume: Bool?
    ) -> UploadRequest {
        upload(
            stream, to: convertible, method: method, headers: headers, interceptor: interceptor,
            fileManager: fileManager, requestModifier: requestModifier
        ).startingImmediately(shouldAutomaticallyResume)
    }

    /// Makes a request from its parts whose body is a multipart form.
    @preconcurrency
    public func upload(
        multipartFormData: RequestMultipartFormData, to convertible: any URLConvertible,
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

    /// Makes a request whose body is a multipart form.
    public func upload(
        multipartFormData: RequestMultipartFormData, with convertible: any URLRequestConvertible,
        usingThreshold encodingMemoryThreshold: UInt64 = RequestMultipartFormData.encodingMemoryThreshold,
        interceptor: (any RequestInterceptor)? = nil, fileManager: FileManager = .default,
        shouldAutomaticallyResume: Bool?
    ) -> UploadRequest {
        upload(
            multipartFormData: multipartFormData, with: convertible, usingThreshold: encodingMemoryThreshold,
            interceptor: interceptor, fileManager: fileManager
        ).startingImmediately(shouldAutomaticallyResume)
    }

    /// Makes a request from its parts, whose body is a multipart form; the closure appends the parts and is called
    /// immediately.
    @preconcurrency
    public func upload(
        multipartFormData: @escaping (RequestMultipartFormData) -> Void, to convertible: any URLConvertible,
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

    /// Makes a request whose body is a multipart form; the closure appends the parts and is called immediately.
    @preconcurrency
    public func upload(
        multipartFormData: @escaping (RequestMultipartFormData) -> Void, with convertible: any URLRequestConvertible,
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
    /// Sets whether the first response handler starts the request, before other code can access the request.
    func startingImmediately(_ isImmediate: Bool?) -> Self {
        startsImmediately = isImmediate
        return self
    }
}
