/// An event that a server sent over a stream (WHATWG HTML section 9.2).
public struct ServerSentEvent: Sendable, Hashable {
    /// The last id that the server gave, with this event or one before; `nil` when it gave none, or took it back.
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
