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
        /// Where it listens.
        public var addressFamily: AddressFamily
        /// How many bytes the kernel should keep for each direction of a connection, for the system's own choice `nil`.
        ///
        /// Some kilobytes make a peer wait soon when its reader pauses. The kernel may take more than it is asked for.
        public var socketBuffer: Int?
        /// Whether reading a body first sends 100 Continue to a client that waits for it.
        public var answersExpectations: Bool

        /// Makes settings: IPv4, the system's buffers, expectations answered.
        public init(addressFamily: AddressFamily = .ipv4, socketBuffer: Int? = nil, answersExpectations: Bool = true) {
            self.addressFamily = addressFamily
            self.socketBuffer = socketBuffer
            self.answersExpectations = answersExpectations
        }
    }
}
