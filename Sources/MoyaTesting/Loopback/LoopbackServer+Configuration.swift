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

        /// Makes settings: IPv4, the system's buffers, expectations answered.
        public init(addressFamily: AddressFamily = .ipv4, socketBuffer: Int? = nil, answersExpectations: Bool = true) {
            self.addressFamily = addressFamily
            self.socketBuffer = socketBuffer
            self.answersExpectations = answersExpectations
        }
    }
}
