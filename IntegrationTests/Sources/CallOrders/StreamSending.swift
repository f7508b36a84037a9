public import Foundation

/// A body that is sent as a stream, to a server that is slower than its producer.
public struct StreamSending: Codable, Sendable {
    /// The URL of the upload, which answers with the number of received bytes.
    public var url: URL
    /// The length of the body.
    public var bytes: Int
    /// The PEM file of the certificate authority that the client trusts.
    public var authority: URL

    /// Makes an order.
    public init(url: URL, bytes: Int, authority: URL) {
        self.url = url
        self.bytes = bytes
        self.authority = authority
    }

    /// The result.
    public struct Outcome: Codable, Sendable {
        /// The server's answer.
        public var answer = ""
        /// The number of bytes by which the peak memory of the process exceeds that before the stream.
        public var extraBytes = 0
        /// The duration of the sending.
        public var seconds = 0.0
        /// The reason for an early end, if there was one.
        public var failure: String?

        /// Makes an empty outcome.
        public init() {}
    }
}
