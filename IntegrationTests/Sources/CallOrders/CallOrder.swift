public import Foundation

/// An order to the program `caller`, as a line of JSON.
public enum CallOrder: Codable, Sendable {
    /// A call by the provider of all orders; its outcome is a ``CallOutcome``.
    case call(Call)
    /// A reader that pauses during other calls; its outcome is a ``SlowReading/Outcome``.
    case slowReading(SlowReading)
    /// A stream that is read with pauses; its outcome is a ``StreamReading/Outcome``.
    case streamReading(StreamReading)
    /// A body that is sent as a stream; its outcome is a ``StreamSending/Outcome``.
    case streamSending(StreamSending)

    /// A call with its time limits.
    public struct Call: Codable, Sendable {
        /// Names the call in its outcome.
        public var id: Int
        /// The URL to GET.
        public var url: URL
        /// Bounds in seconds.
        public var connect: Double?
        /// Bounds in seconds.
        public var idle: Double?
        /// Bounds in seconds.
        public var attempt: Double?
        /// Bounds in seconds.
        public var total: Double?

        /// Makes an order.
        public init(
            id: Int, url: URL, connect: Double? = nil, idle: Double? = nil, attempt: Double? = nil, total: Double? = nil
        ) {
            self.id = id
            self.url = url
            self.connect = connect
            self.idle = idle
            self.attempt = attempt
            self.total = total
        }
    }
}

extension CallOrder {
    /// The order as a line of JSON.
    public func line() throws -> String { String(decoding: try JSONEncoder().encode(self), as: UTF8.self) }
}
