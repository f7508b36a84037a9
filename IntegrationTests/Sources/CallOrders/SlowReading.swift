public import Foundation

/// A large body whose reader stops in the middle, while others use the same connection.
public struct SlowReading: Codable, Sendable {
    /// The URL that is read slowly.
    public var large: URL
    /// The URL of the other calls, on the same server.
    public var small: URL
    /// The number of other calls.
    public var others: Int
    /// The PEM file of the authority that vouches for the server.
    public var authority: URL

    /// Makes an order.
    public init(large: URL, small: URL, others: Int, authority: URL) {
        self.large = large
        self.small = small
        self.others = others
        self.authority = authority
    }

    /// The result.
    public struct Outcome: Codable, Sendable {
        /// The number of other calls with a response of status 200.
        public var othersAnswered = 0
        /// The number of them that used the connection of the large body.
        public var othersOnTheConnection = 0
        /// The protocol of the others, as ALPN spells it.
        public var spoken: Set<String> = []
        /// By how many bytes the process had grown when the others had ended, since before the large body.
        public var growthWhilePaused = 0
        /// The number of bytes of the large body, once it was read on.
        public var bytes = 0
        /// The reason that it ended early, if it did.
        public var failure: String?

        /// Makes the outcome of nothing yet.
        public init() {}
    }
}
