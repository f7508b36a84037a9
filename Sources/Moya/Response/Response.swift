public import Foundation
import MoyaSession
import Synchronization

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// The server's answer to a call.
public final class Response: CustomDebugStringConvertible, Equatable, Sendable {
    /// The status code.
    public let statusCode: Int
    /// The body; empty for a download.
    public let data: Data

    private enum Source: Sendable {
        case given(HTTPURLResponse?)
        /// Foundation's response takes longer to make than all the rest, and many callers never look at it.
        case head(TransportResponseHead, ExchangeURL?)
    }

    private let source: Mutex<Source>
    private let sent: SentRequest?

    /// Makes a response.
    public init(statusCode: Int, data: Data, request: URLRequest? = nil, response: HTTPURLResponse? = nil) {
        self.statusCode = statusCode
        self.data = data
        sent = request.map { .made($0) }
        source = Mutex(.given(response))
    }

    /// Makes a response of a request that is made when it is asked for.
    package init(statusCode: Int, data: Data, sent: SentRequest?, response: HTTPURLResponse?) {
        self.statusCode = statusCode
        self.data = data
        self.sent = sent
        source = Mutex(.given(response))
    }

    /// Makes a response whose `URLRequest` and `HTTPURLResponse` are made when they are asked for.
    package init(statusCode: Int, data: Data, sent: SentRequest?, head: TransportResponseHead, url: ExchangeURL?) {
        self.statusCode = statusCode
        self.data = data
        self.sent = sent
        source = Mutex(.head(head, url))
    }

    /// The request that was sent last.
    public var request: URLRequest? { sent?.urlRequest }

    /// The response as Foundation has it; `nil` for a stub that gives only a status code and a body.
    public var response: HTTPURLResponse? {
        source.withLock { source in
            switch source {
            case .given(let response): return response
            case .head(let head, let url):
                let response = (url?.url).flatMap { HTTPURLResponse(head: head, url: $0) }
                source = .given(response)
                return response
            }
        }
    }

    /// The status code and the length of the body.
    public var description: String { "Status Code: \(statusCode), Data Length: \(data.count)" }

    /// The status code and the length of the body.
    public var debugDescription: String { description }

    /// Whether the two have the same status code, body and `HTTPURLResponse`; the requests do not count.
    public static func == (lhs: Response, rhs: Response) -> Bool {
        lhs === rhs || lhs.statusCode == rhs.statusCode && lhs.data == rhs.data && lhs.response == rhs.response
    }
}
