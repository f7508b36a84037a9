public import Foundation

/// A large body whose reader pauses in the middle, while other calls use the same connection.
public struct SlowReading: Codable, Sendable {
    /// The URL that is read slowly.
    public var large: URL
    /// The URL of the other calls, on the same server.
    public var small: URL
    /// The number of other calls.
    public var others: Int
    /// The PEM file of the certificate authority that the client trusts.
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
        /// The growth of the process in bytes, from before the large body until the other calls had ended.
        public var growthWhilePaused = 0
        /// The length of the large body, after it was read to its end.
        public var bytes = 0
        /// The reason for an early end, if there was one.
        public var failure: String?

        /// Makes an empty outcome.
        public init() {}
    }
}
