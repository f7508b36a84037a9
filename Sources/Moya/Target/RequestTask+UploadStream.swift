public import Foundation
public import MoyaSession

extension RequestTask {
    /// Sends a body that a sequence yields, at the pace of the server.
    ///
    /// One element is in memory at a time; see `UploadStream`. Set the `Content-Type` in the target's headers. A
    /// sequence is read once: for a retry, or a redirect that keeps the method, pass an `UploadStream` of a closure
    /// that makes the sequence.
    ///
    /// In a `switch` over tasks it is the case
    /// ``requestCompositeParameters(bodyParameters:bodyEncoding:urlParameters:)``, so code that lists the cases of Moya
    /// 15 compiles.
    ///
    /// - Parameters:
    ///   - elements: The bytes in order.
    ///   - length: The total number of bytes; `nil` if it is unknown, and the body is sent in chunks.
    ///   - urlParameters: Added to the query of the URL.
    @preconcurrency
    public static func uploadStream<Elements: AsyncSequence & Sendable>(
        _ elements: Elements, length: Int64? = nil, urlParameters: [String: any Sendable] = [:]
    ) -> RequestTask where Elements.Element == Data {
        .uploadStream(UploadStream(elements, length: length), urlParameters: urlParameters)
    }

    /// Sends a body that a sequence yields, at the pace of the server.
    ///
    /// - Parameters:
    ///   - stream: The body, from a sequence or from a closure that makes one for each attempt.
    ///   - urlParameters: Added to the query of the URL.
    @preconcurrency
    public static func uploadStream(
        _ stream: UploadStream, urlParameters: [String: any Sendable] = [:]
    ) -> RequestTask {
        .requestCompositeParameters(
            bodyParameters: [:], bodyEncoding: UploadStreamEncoding(stream: stream), urlParameters: urlParameters)
    }

    /// Sends values as JSON Lines, each encoded when the server can accept it, with `Content-Type: application/jsonl`
    /// unless the target sets another type, such as `application/x-ndjson`.
    ///
    /// - Parameters:
    ///   - values: The values in order; read once.
    ///   - encoder: The encoder of values; line breaks in its output become spaces.
    ///   - urlParameters: Added to the query of the URL.
    @preconcurrency
    public static func uploadJSONLines<Values: AsyncSequence & Sendable>(
        _ values: Values, encoder: JSONEncoder = .moyaDefault, urlParameters: [String: any Sendable] = [:]
    ) -> RequestTask where Values.Element: Encodable & Sendable {
        .uploadStream(.jsonLines(values, encoder: encoder), urlParameters: urlParameters)
    }

    /// The sequence of the body, if it is streamed.
    var stream: UploadStream? {
        guard case .requestCompositeParameters(_, let encoding as UploadStreamEncoding, _) = self else { return nil }
        return encoding.stream
    }
}

/// Carries the body of a task to its request, and sets its type.
private struct UploadStreamEncoding: ParameterEncoding {
    let stream: UploadStream

    func encode(_ urlRequest: any URLRequestConvertible, with parameters: Parameters?) throws -> URLRequest {
        var request = try urlRequest.asURLRequest()
        stream.complete(&request)
        return request
    }
}
