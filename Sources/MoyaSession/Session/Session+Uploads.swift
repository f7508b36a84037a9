public import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

// Uploads whose request is given by its parts. They go through the methods that take a whole request, which are those
// that a subclass overrides.
extension Session {
    /// Makes a request from its parts whose body is in memory.
    @preconcurrency
    public func upload(
        _ data: Data,
        to convertible: any URLConvertible,
        method: HTTPMethod = .post,
        headers: HTTPHeaders? = nil,
        interceptor: (any RequestInterceptor)? = nil,
        fileManager: FileManager = .default,
        requestModifier: RequestModifier? = nil
    ) -> UploadRequest {
        upload(
            data,
            with: UploadRequestParts(url: convertible, method: method, headers: headers, modifier: requestModifier),
            interceptor: interceptor, fileManager: fileManager)
    }

    /// Makes a request from its parts whose body is a file, read as it is sent.
    @preconcurrency
    public func upload(
        _ fileURL: URL,
        to convertible: any URLConvertible,
        method: HTTPMethod = .post,
        headers: HTTPHeaders? = nil,
        interceptor: (any RequestInterceptor)? = nil,
        fileManager: FileManager = .default,
        requestModifier: RequestModifier? = nil
    ) -> UploadRequest {
        upload(
            fileURL,
            with: UploadRequestParts(url: convertible, method: method, headers: headers, modifier: requestModifier),
            interceptor: interceptor, fileManager: fileManager)
    }

    /// Makes a request from its parts whose body is a stream, read once as it is sent.
    @preconcurrency
    public func upload(
        _ stream: InputStream,
        to convertible: any URLConvertible,
        method: HTTPMethod = .post,
        headers: HTTPHeaders? = nil,
        interceptor: (any RequestInterceptor)? = nil,
        fileManager: FileManager = .default,
        requestModifier: RequestModifier? = nil
    ) -> UploadRequest {
        upload(
            stream,
            with: UploadRequestParts(url: convertible, method: method, headers: headers, modifier: requestModifier),
            interceptor: interceptor, fileManager: fileManager)
    }

    /// Makes a request from its parts whose body is a multipart form.
    @preconcurrency
    public func upload(
        multipartFormData: RequestMultipartFormData,
        to convertible: any URLConvertible,
        usingThreshold encodingMemoryThreshold: UInt64 = RequestMultipartFormData.encodingMemoryThreshold,
        method: HTTPMethod = .post,
        headers: HTTPHeaders? = nil,
        interceptor: (any RequestInterceptor)? = nil,
        fileManager: FileManager = .default,
        requestModifier: RequestModifier? = nil
    ) -> UploadRequest {
        upload(
            multipartFormData: multipartFormData,
            with: UploadRequestParts(url: convertible, method: method, headers: headers, modifier: requestModifier),
            usingThreshold: encodingMemoryThreshold, interceptor: interceptor, fileManager: fileManager)
    }

    /// Makes a request from its parts whose body is the multipart form that a closure fills, which is called at once.
    @preconcurrency
    public func upload(
        multipartFormData: (RequestMultipartFormData) -> Void,
        to convertible: any URLConvertible,
        usingThreshold encodingMemoryThreshold: UInt64 = RequestMultipartFormData.encodingMemoryThreshold,
        method: HTTPMethod = .post,
        headers: HTTPHeaders? = nil,
        interceptor: (any RequestInterceptor)? = nil,
        fileManager: FileManager = .default,
        requestModifier: RequestModifier? = nil
    ) -> UploadRequest {
        let form = RequestMultipartFormData(fileManager: fileManager)
        multipartFormData(form)
        return upload(
            multipartFormData: form,
            with: UploadRequestParts(url: convertible, method: method, headers: headers, modifier: requestModifier),
            usingThreshold: encodingMemoryThreshold, interceptor: interceptor, fileManager: fileManager)
    }

    /// Makes a request whose body is the multipart form that a closure fills, which is called at once.
    @preconcurrency
    public func upload(
        multipartFormData: (RequestMultipartFormData) -> Void,
        with convertible: any URLRequestConvertible,
        usingThreshold encodingMemoryThreshold: UInt64 = RequestMultipartFormData.encodingMemoryThreshold,
        interceptor: (any RequestInterceptor)? = nil,
        fileManager: FileManager = .default
    ) -> UploadRequest {
        let form = RequestMultipartFormData(fileManager: fileManager)
        multipartFormData(form)
        return upload(
            multipartFormData: form, with: convertible, usingThreshold: encodingMemoryThreshold,
            interceptor: interceptor, fileManager: fileManager)
    }
}
