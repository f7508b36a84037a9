public import Foundation
public import MoyaSession

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// A response whose head is there, and whose body is read as it comes.
///
/// The exchange ends at once when the response and its ``bytes`` are released before they were read.
public struct StreamedResponse: Sendable {
    /// The body, in the chunks in which it came; to be read once.
    public let bytes: ResponseSequence<Data>
    private let head: Response

    init(_ head: Response) {
        self.head = head
        bytes = ResponseSequence { ChunkReader { .success(head) } }
    }

    /// The status code.
    public var statusCode: Int { head.statusCode }

    /// The header fields; none for a stub that gives only a status code and a body.
    public var headers: HTTPHeaders { head.response?.headers ?? HTTPHeaders() }

    /// The trailer fields, which come after the body (RFC 9110 section 6.5): empty until ``bytes`` were read to their end, and
    /// where the server or the transport has none, as `URLSession`.
    public var trailers: HTTPHeaders { head.trailers }

    /// The request as it was sent first, before any redirect.
    public var request: URLRequest? { head.request }

    /// The response as Foundation has it; `nil` for a stub that gives only a status code and a body.
    public var response: HTTPURLResponse? { head.response }
}
