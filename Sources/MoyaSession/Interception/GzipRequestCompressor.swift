public import Foundation

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// Compresses request bodies like ``DeflateRequestCompressor``, with `Content-Encoding: gzip`.
public struct GzipRequestCompressor: RequestInterceptor {
    /// The treatment of a request that already has a `Content-Encoding`.
    public let duplicateHeaderBehavior: DeflateRequestCompressor.DuplicateHeaderBehavior
    /// Selects the bodies to compress.
    public let shouldCompressBodyData: @Sendable (_ bodyData: Data) -> Bool

    /// Makes a compressor.
    ///
    /// - Parameters:
    ///   - duplicateHeaderBehavior: The treatment of a request that already has a `Content-Encoding`.
    ///   - shouldCompressBodyData: Selects the bodies to compress; all by default.
    @preconcurrency
    public init(
        duplicateHeaderBehavior: DeflateRequestCompressor.DuplicateHeaderBehavior = .error,
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
                    "gzip", duplicateHeaderBehavior, shouldCompressBodyData, DeflateEncoder.gzip)
            })
    }
}

extension RequestAdapter where Self == GzipRequestCompressor {
    /// Compresses request bodies, with `Content-Encoding: gzip`.
    public static var gzipCompressor: GzipRequestCompressor { GzipRequestCompressor() }
}
