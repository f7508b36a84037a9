#if os(Linux)
import CMoyaCurl
import Glibc

/// A connection of a ``SocketTable``; the next one on the same descriptor is another.
struct ConnectionID: Hashable {
    let descriptor: Int32
    let serial: UInt32

    /// Stands for all connections whose socket is unknown, such as those over Unix domain sockets.
    static let unknown = ConnectionID(descriptor: -1, serial: 0)
}

/// The ends of a connection, as libcurl reports them: IP addresses as text.
struct ConnectionEnds {
    let localPort: Int32
    var localAddress: UnsafePointer<CChar>?
    let peerPort: Int32
    let peerAddress: UnsafePointer<CChar>?

    /// The near end; `nil` if its address is not an IP address.
    var local: SocketEnd? { Self.end(localAddress, localPort) }
    /// The peer; `nil` if its address is not an IP address.
    var peer: SocketEnd? { Self.end(peerAddress, peerPort) }

    private static func end(_ address: UnsafePointer<CChar>?, _ port: Int32) -> SocketEnd? {
        address.flatMap { SocketEnd(address: $0, port: UInt16(truncatingIfNeeded: port)) }
    }
}

/// The IP address and the port of one end of a connection.
struct SocketEnd: Equatable {
    /// The bytes of the address, and zeros after those of IPv4.
    private var address: (UInt64, UInt64) = (0, 0)
    let port: UInt16
    private var family: Int32

    init?(address text: UnsafePointer<CChar>, port: UInt16) {
        self.port = port
        for family in [AF_INET, AF_INET6] {
            self.family = family
            if withUnsafeMutableBytes(of: &address, { inet_pton(family, text, $0.baseAddress) }) == 1 { return }
        }
        return nil
    }

    /// Takes the peer from the address of a socket that libcurl is about to make; `nil` for a Unix domain socket.
    init?(_ made: UnsafeMutablePointer<curl_sockaddr>) {
        guard let start = MemoryLayout<curl_sockaddr>.offset(of: \.addr) else { return nil }
        // libcurl reserves more bytes for the address than its type has.
        self.init(
            UnsafeRawBufferPointer(start: UnsafeRawPointer(made) + start, count: Int(made.pointee.addrlen)),
            family: made.pointee.family)
    }

    /// Takes the bytes of a socket address; `nil` for one of another family than IPv4 and IPv6.
    init?(_ bytes: UnsafeRawBufferPointer, family: Int32) {
        guard family == AF_INET || family == AF_INET6 else { return nil }
        self.family = family
        // The port is at the same offset in both families.
        port = UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: 2, as: UInt16.self))
        let (offset, count) = family == AF_INET ? (4, 4) : (8, 16)
        withUnsafeMutableBytes(of: &address) { $0.copyBytes(from: bytes[offset..<offset + count]) }
    }

    static func == (one: Self, other: Self) -> Bool {
        one.address == other.address && one.port == other.port && one.family == other.family
    }
}
#endif
