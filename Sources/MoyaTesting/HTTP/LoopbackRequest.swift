public import Foundation

/// A request as a ``LoopbackServer`` received it.
public struct LoopbackRequest: Sendable, Hashable {
    /// The method as it was sent.
    public var method: String
    /// The request target as it was sent: path and query, or an absolute URL for a proxy.
    public var target: String
    /// The version as it was sent: `HTTP/1.1`.
    public var version: String
    /// The header fields in order, with duplicates and exact spelling.
    ///
    /// Values are decoded as UTF-8 or, where they are not valid UTF-8, as Latin-1.
    public var fields: LoopbackFields
    /// The request line and header section as they came, with the empty line that ends them.
    public var head: Data
    /// The number of the connection it came on; the server's first is 1.
    public internal(set) var connectionNumber = 0
    /// The result of ``LoopbackExchange/body()``; `nil` before that has returned.
    public internal(set) var body: Data?

    /// Makes a request, mostly to compare with.
    public init(
        method: String, target: String, version: String = "HTTP/1.1", fields: LoopbackFields = [:], head: Data = Data()
    ) {
        self.method = method
        self.target = target
        self.version = version
        self.fields = fields
        self.head = head
    }

    /// The target up to the query, percent-encoded as it came.
    public var path: String { String(target.prefix { $0 != "?" }) }

    /// The target after the first `?`, percent-encoded as it came; `nil` without one.
    public var query: String? {
        target.firstIndex(of: "?").map { String(target[target.index(after: $0)...]) }
    }

    /// `true` if the client wants to hear 100 Continue before it sends the body (RFC 9110 section 10.1.1).
    public var expectsContinue: Bool { fields.lists("100-continue", in: "Expect") }

    /// `true` if the client means to use the connection again (RFC 9112 section 9.3).
    var keepsConnection: Bool {
        if fields.lists("close", in: "Connection") { return false }
        return version != "HTTP/1.0" || fields.lists("keep-alive", in: "Connection")
    }
}
