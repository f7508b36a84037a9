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
    /// The request that was sent last.
    public let request: URLRequest?

    private enum Source: Sendable {
        case given(HTTPURLResponse?)
        /// Foundation's response takes longer to make than all the rest, and many callers never look at it.
        case head(TransportResponseHead, URL?)
    }

    private let source: Mutex<Source>

    /// Makes a response.
    public init(statusCode: Int, data: Data, request: URLRequest? = nil, response: HTTPURLResponse? = nil) {
        self.statusCode = statusCode
        self.data = data
        self.request = request
        source = Mutex(.given(response))
    }

    /// Makes a response whose `HTTPURLResponse` is made when it is asked for.
    package init(statusCode: Int, data: Data, request: URLRequest?, head: TransportResponseHead, url: URL?) {
        self.statusCode = statusCode
        self.data = data
        self.request = request
        source = Mutex(.head(head, url))
    }

    /// The response as Foundation has it; `nil` for a stub that gives only a status code and a body.
    public var response: HTTPURLResponse? {
        source.withLock { source in
            switch source {
            case .given(let response): return response
            case .head(let head, let url):
                let response = url.flatMap { HTTPURLResponse(head: head, url: $0) }
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
