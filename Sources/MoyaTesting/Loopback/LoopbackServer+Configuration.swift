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
        /// The size of the kernel's buffer for each direction of a connection, in bytes; `nil` for the system's
        /// default.
        ///
        /// Some kilobytes make a peer wait soon when its reader pauses. The kernel may choose more than the given size.
        public var socketBuffer: Int?
        /// `true` if reading a body first sends 100 Continue to a client that waits for it.
        public var answersExpectations: Bool
        /// The path of a Unix domain socket to listen on instead of a port, at most 103 bytes; `nil` for a port.
        ///
        /// Nothing may be there yet. The server removes the socket when it stops. Its URL is `http://localhost`, its port
        /// 0.
        public var unixSocketPath: String?

        /// Makes settings: IPv4, the system's buffers, expectations answered, a port.
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
