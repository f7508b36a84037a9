public import Foundation
public import MoyaSession

extension RequestTask {
    /// Sends a body that a sequence yields, piece by piece, as fast as the server takes it.
    ///
    /// One element is in memory at a time; see `UploadStream`. The target's headers say its `Content-Type`. A sequence is read
    /// once: for a retry, or a redirect that keeps the method, give an `UploadStream` that makes it by a closure.
    ///
    /// In a `switch` over tasks it is the case ``requestCompositeParameters(bodyParameters:bodyEncoding:urlParameters:)``, so
    /// that code which lists the cases of Moya 15 compiles.
    ///
    /// - Parameters:
    ///   - elements: The bytes in their order.
    ///   - length: The number of all bytes; `nil` where it is not known, and the body is sent in chunks.
    ///   - urlParameters: Added to the query of the URL.
    @preconcurrency
    public static func uploadStream<Elements: AsyncSequence & Sendable>(
        _ elements: Elements, length: Int64? = nil, urlParameters: [String: any Sendable] = [:]
    ) -> RequestTask where Elements.Element == Data {
        .uploadStream(UploadStream(elements, length: length), urlParameters: urlParameters)
    }

    /// Sends a body that a sequence yields, piece by piece, as fast as the server takes it.
    ///
    /// - Parameters:
    ///   - stream: The body, of a sequence or of a closure that makes one for each attempt.
    ///   - urlParameters: Added to the query of the URL.
    @preconcurrency
    public static func uploadStream(
        _ stream: UploadStream, urlParameters: [String: any Sendable] = [:]
    ) -> RequestTask {
        .requestCompositeParameters(
            bodyParameters: [:], bodyEncoding: UploadStreamEncoding(stream: stream), urlParameters: urlParameters)
    }

    /// Sends values as JSON Lines, each encoded when the server is ready for it, with `Content-Type: application/jsonl` unless
    /// the target sets one, such as `application/x-ndjson`.
    ///
    /// - Parameters:
    ///   - values: The values in their order; read once.
    ///   - encoder: Encodes a value; line breaks that it writes become spaces.
    ///   - urlParameters: Added to the query of the URL.
    @preconcurrency
    public static func uploadJSONLines<Values: AsyncSequence & Sendable>(
        _ values: Values, encoder: JSONEncoder = JSONEncoder(), urlParameters: [String: any Sendable] = [:]
    ) -> RequestTask where Values.Element: Encodable & Sendable {
        .uploadStream(.jsonLines(values, encoder: encoder), urlParameters: urlParameters)
    }

    /// The sequence that the body is read from, where it is one.
    var stream: UploadStream? {
        guard case .requestCompositeParameters(_, let encoding as UploadStreamEncoding, _) = self else { return nil }
        return encoding.stream
    }
}

/// Carries the body of a task to the request that sends it, and says its type.
private struct UploadStreamEncoding: ParameterEncoding {
    let stream: UploadStream

    func encode(_ urlRequest: any URLRequestConvertible, with parameters: Parameters?) throws -> URLRequest {
        var request = try urlRequest.asURLRequest()
        stream.complete(&request)
        return request
    }
}
