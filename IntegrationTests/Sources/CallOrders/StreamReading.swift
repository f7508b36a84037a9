public import Foundation

/// A stream whose reader is slower than its server.
public struct StreamReading: Codable, Sendable {
    /// The URL that is read.
    public var url: URL
    /// The URL of the calls that are made while the reader pauses, on the same server.
    public var other: URL
    /// The PEM file of the certificate authority that the client trusts.
    public var authority: URL
    /// The seed of the pauses: about one chunk in 64 is followed by 1 to 16 other calls.
    public var seed: UInt64
    /// The number of bytes to read per second; `nil` for no limit.
    public var bytesASecond: Double?

    /// Makes an order.
    public init(url: URL, other: URL, authority: URL, seed: UInt64, bytesASecond: Double? = nil) {
        self.url = url
        self.other = other
        self.authority = authority
        self.seed = seed
        self.bytesASecond = bytesASecond
    }

    /// The result.
    public struct Outcome: Codable, Sendable {
        /// The number of bytes that were read.
        public var bytes = 0
        /// The number of pauses.
        public var pauses = 0
        /// The number of bytes by which the peak memory of the process exceeds that before the stream.
        public var extraBytes = 0
        /// The duration of the reading.
        public var seconds = 0.0
        /// The protocol of the other calls, as ALPN spells it.
        public var spoken: Set<String> = []
        /// The reason for an early end, if there was one.
        public var failure: String?

        /// Makes an empty outcome.
        public init() {}
    }
}
