public import Foundation
public import MoyaSession

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// A response whose head has arrived, and whose body is read as it arrives.
///
/// Releasing the response and its ``bytes`` before they were read ends the exchange at once.
public struct StreamedResponse: Sendable {
    /// The body in chunks as they arrive, readable once.
    public let bytes: ResponseSequence<Data>
    private let head: Response

    /// - Parameter callbackQueue: The queue of closures that receive the bytes; `nil` for the main queue.
    init(_ head: Response, callbackQueue: DispatchQueue? = nil) {
        self.head = head
        bytes = ResponseSequence(callbackQueue: callbackQueue) { ChunkReader(head) }
    }

    /// The status code.
    public var statusCode: Int { head.statusCode }

    /// The header fields; empty for a stub with only a status code and a body.
    public var headers: HTTPHeaders { head.headers }

    /// The trailer fields after the body (RFC 9110 section 6.5): empty until ``bytes`` were read to their end, and if
    /// the server or the transport, such as `URLSession`, provides none.
    public var trailers: HTTPHeaders { head.trailers }

    /// The request as first sent, before any redirect.
    public var request: URLRequest? { head.request }

    /// The Foundation response; `nil` for a stub with only a status code and a body.
    public var response: HTTPURLResponse? { head.response }
}
