/// A server-sent event (WHATWG HTML section 9.2).
public struct ServerSentEvent: Sendable, Hashable {
    /// The server's last id, sent with this event or an earlier one; `nil` if it sent none, or reset it.
    public var id: String?
    /// The type: `message` unless the server names another.
    public var type: String
    /// The lines of data, joined by line feeds.
    public var data: String

    /// Makes an event.
    public init(id: String? = nil, type: String = "message", data: String) {
        self.id = id
        self.type = type
        self.data = data
    }
}
