public import Foundation

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// Compresses request bodies, with `Content-Encoding: deflate`.
///
/// ### Do I need this?
/// Use it if the server accepts compressed bodies, and they are large and textual. Compressed data, such as an image,
/// does not get smaller. Uploads (`session.upload`), also from memory, streams and multipart forms are sent
/// uncompressed.
///
/// ### Use
/// Pass it to a request, `session.request(url, method: .post, parameters: form, interceptor: .deflateCompressor)`, or
/// to the session. The body is compressed on the thread that starts the request, or on the session's `requestQueue`.
public struct DeflateRequestCompressor: RequestInterceptor {
    /// The treatment of a request that already has a `Content-Encoding`.
    public enum DuplicateHeaderBehavior: Sendable, Hashable {
        /// The request fails with ``DuplicateHeaderError``.
        case error
        /// The request is compressed, and the field replaced.
        case replace
        /// The request is sent unchanged.
        case skip
    }

    /// The error of a request that already has a `Content-Encoding`.
    public struct DuplicateHeaderError: LocalizedError, Hashable {
        /// Makes an error.
        public init() {}

        /// The problem and its remedy.
        public var errorDescription: String? {
            "The request already has a Content-Encoding. Leave the field out if the body is not encoded, or set "
                + "duplicateHeaderBehavior to .skip, which sends the request unchanged."
        }
    }

    /// The treatment of a request that already has a `Content-Encoding`.
    public let duplicateHeaderBehavior: DuplicateHeaderBehavior
    /// Selects the bodies to compress.
    public let shouldCompressBodyData: @Sendable (_ bodyData: Data) -> Bool

    /// Makes a compressor.
    ///
    /// - Parameters:
    ///   - duplicateHeaderBehavior: The treatment of a request that already has a `Content-Encoding`.
    ///   - shouldCompressBodyData: Selects the bodies to compress; all by default.
    @preconcurrency
    public init(
        duplicateHeaderBehavior: DuplicateHeaderBehavior = .error,
        shouldCompressBodyData: @escaping @Sendable (_ bodyData: Data) -> Bool = { _ in true }
    ) {
        self.duplicateHeaderBehavior = duplicateHeaderBehavior
        self.shouldCompressBodyData = shouldCompressBodyData
    }

    /// Compresses the body.
    public func adapt(
        _ urlRequest: URLRequest, for session: Session,
        completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
    ) {
        completion(
            Result {
                try urlRequest.compressed(
                    "deflate", duplicateHeaderBehavior, shouldCompressBodyData, DeflateEncoder.zlib)
            })
    }
}

extension URLRequest {
    /// The request with its body compressed, and the content coding named.
    func compressed(
        _ coding: String, _ duplicates: DeflateRequestCompressor.DuplicateHeaderBehavior,
        _ isWanted: (Data) -> Bool, _ compress: (Data) -> Data
    ) throws -> URLRequest {
        guard let body = httpBody, !body.isEmpty else { return self }
        if value(forHTTPHeaderField: "Content-Encoding") != nil {
            switch duplicates {
            case .error: throw DeflateRequestCompressor.DuplicateHeaderError()
            case .replace: break
            case .skip: return self
            }
        }
        guard isWanted(body) else { return self }
        var request = self
        request.httpBody = compress(body)
        request.setValue(coding, forHTTPHeaderField: "Content-Encoding")
        return request
    }
}

extension RequestAdapter where Self == DeflateRequestCompressor {
    /// Compresses request bodies, with `Content-Encoding: deflate`.
    public static var deflateCompressor: DeflateRequestCompressor { DeflateRequestCompressor() }

    /// Compresses request bodies, with `Content-Encoding: deflate`.
    @preconcurrency
    public static func deflateCompressor(
        duplicateHeaderBehavior: DeflateRequestCompressor.DuplicateHeaderBehavior = .error,
        shouldCompressBodyData: @escaping @Sendable (_ bodyData: Data) -> Bool = { _ in true }
    ) -> DeflateRequestCompressor {
        DeflateRequestCompressor(
            duplicateHeaderBehavior: duplicateHeaderBehavior, shouldCompressBodyData: shouldCompressBodyData)
    }
}
