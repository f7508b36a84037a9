extension LoopbackServer {
    /// The address family of a server.
    public enum AddressFamily: Sendable, Hashable {
        /// 127.0.0.1
        case ipv4
        /// ::1
        case ipv6
    }

    /// The settings of a server.
    public struct Configuration: Sendable, Hashable {
        /// The address family to listen on.
        public var addressFamily: AddressFamily
        /// The size of the kernel's buffer for each direction of a connection, in bytes; `nil` for the system default.
        ///
        /// With a few kilobytes, a peer has to wait soon after its reader pauses. The kernel may choose a larger size.
        public var socketBuffer: Int?
        /// `true` if reading a body first sends 100 Continue to a client that waits for it.
        public var answersExpectations: Bool
        /// The path of a Unix domain socket to listen on instead of a port, at most 103 bytes; `nil` for a port.
        ///
        /// The path must not exist yet. The server removes the socket when it stops. Its URL is `http://localhost`, its
        /// port 0.
        public var unixSocketPath: String?

        /// Makes settings, by default IPv4, system buffers, 100 Continue, and a port.
        public init(
            addressFamily: AddressFamily = .ipv4, socketBuffer: Int? = nil, answersExpectations: Bool = true,
            unixSocketPath: String? = nil
        ) {
            self.unixSocketPath = unixSocketPath
            self.addressFamily = addressFamily
            self.socketBuffer = socketBuffer
            self.answersExpectations = answersExpectations
        }
    }
}
