public import Foundation

/// A request that a ``LoopbackServer`` received.
public struct LoopbackRequest: Sendable, Hashable {
    /// The received method.
    public var method: String
    /// The received request target: path and query, or an absolute URL for a proxy.
    public var target: String
    /// The received version: `HTTP/1.1`.
    public var version: String
    /// The header fields in order, with duplicates and in their original spelling.
    ///
    /// Values are decoded as UTF-8 or, if that is invalid, as Latin-1.
    public var fields: LoopbackFields
    /// The received request line and header section, with the final empty line.
    public var head: Data
    /// The number of its connection; the server's first is 1.
    public internal(set) var connectionNumber = 0
    /// The result of ``LoopbackExchange/body()``; `nil` until that has returned.
    public internal(set) var body: Data?

    /// Makes a request, for comparisons.
    public init(
        method: String, target: String, version: String = "HTTP/1.1", fields: LoopbackFields = [:], head: Data = Data()
    ) {
        self.method = method
        self.target = target
        self.version = version
        self.fields = fields
        self.head = head
    }

    /// The target up to the query, percent-encoded as received.
    public var path: String { String(target.prefix { $0 != "?" }) }

    /// The target after the first `?`, percent-encoded as received; `nil` without one.
    public var query: String? {
        target.firstIndex(of: "?").map { String(target[target.index(after: $0)...]) }
    }

    /// `true` if the client waits for 100 Continue before it sends the body (RFC 9110 section 10.1.1).
    public var expectsContinue: Bool { fields.lists("100-continue", in: "Expect") }

    /// `true` if the client will reuse the connection (RFC 9112 section 9.3).
    var keepsConnection: Bool {
        if fields.lists("close", in: "Connection") { return false }
        return version != "HTTP/1.0" || fields.lists("keep-alive", in: "Connection")
    }
}
