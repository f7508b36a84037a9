public import Foundation

/// A large body whose reader stops in the middle, while others use the same connection.
public struct SlowReading: Codable, Sendable {
    /// What is read slowly.
    public var large: URL
    /// What the others ask for, of the same server.
    public var small: URL
    /// How many others there are.
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

    /// What came of it.
    public struct Outcome: Codable, Sendable {
        /// How many of the others got a response of status 200.
        public var othersAnswered = 0
        /// How many of them used the connection that the large body came on.
        public var othersOnTheConnection = 0
        /// The protocol of the others, as ALPN spells it.
        public var spoken: Set<String> = []
        /// By how many bytes the process had grown when the others had ended, since before the large body.
        public var growthWhilePaused = 0
        /// How many bytes of the large body there are, once it was read on.
        public var bytes = 0
        /// Why it ended early, if it did.
        public var failure: String?

        /// Makes the outcome of nothing yet.
        public init() {}
    }
}
