public import Foundation

/// An order to the program `caller`, in a line of JSON.
public enum CallOrder: Codable, Sendable {
    /// A call by a provider, which is the same one for every order; its outcome is one ``CallOutcome``.
    case call(Call)
    /// A reading that pauses while other calls go on; what came of it is one ``SlowReading/Outcome``.
    case slowReading(SlowReading)
    /// A stream that is read with pauses; what came of it is one ``StreamReading/Outcome``.
    case streamReading(StreamReading)

    /// A call, and how long it may take.
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
    /// The line that carries it.
    public func line() throws -> String { String(decoding: try JSONEncoder().encode(self), as: UTF8.self) }
}
