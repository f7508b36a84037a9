#if os(Linux)
import CMoyaCurl
import Glibc
import Testing

@testable import MoyaCurl

@Suite struct SocketTableTests {
    /// The owner of a socket.
    private final class Owner {}

    @Test func leavesTheNextOwnerOfADescriptorAlone() throws {
        let table = try #require(SocketTable())
        let owner = Owner()
        var (opening, stranger) = (Pair(), Pair())
        defer {
            opening.close()
            stranger.close()
        }
        // A connection that is abandoned before it is established, and whose socket libcurl closes without a callback.
        table.connectionMade(opening.near)
        table.want(CURL_POLL_OUT, of: opening.near, key: 1, owner: ObjectIdentifier(owner))
        stranger.takeNumber(of: &opening)
        table.unwant(stranger.near)
        table.transferEnded(ObjectIdentifier(owner), on: stranger.near)

        #expect(send(stranger.far, "x", 1, 0) == 1)
        table.endReadableIdleConnections()
        var byte: UInt8 = 0
        #expect(recv(stranger.near, &byte, 1, Int32(MSG_DONTWAIT)) == 1)
        #expect(send(stranger.near, "y", 1, Int32(MSG_NOSIGNAL)) == 1)
    }

    /// Two sockets on the same port, and a third that was released in the current round.
    private struct SharedPort {
        let first = BoundSocket(host: 1)
        let second: BoundSocket
        let released = BoundSocket(host: 4)
        let owner = Owner()

        init(in table: SocketTable) throws {
            second = BoundSocket(host: 2, port: first.port)
            try #require(first.port > 0 && second.port == first.port)
            for socket in [first, second, released] { add(socket, to: table) }
            table.unwant(released.number)
        }

        func add(_ socket: BoundSocket, to table: SocketTable) {
            table.connectionMade(socket.number)
            table.want(CURL_POLL_IN, of: socket.number, key: 1, owner: ObjectIdentifier(owner))
        }

        /// The socket that a transfer finds on the port.
        func taken(from table: SocketTable) -> Int32? {
            table.connectionTaken(onPort: first.port, by: ObjectIdentifier(owner))
        }
    }

    @Test func findsNoneOfTwoConnectionsOnAPort() throws {
        let table = try #require(SocketTable())
        let shared = try SharedPort(in: table)
        #expect(shared.taken(from: table) == nil)
        table.unwant(shared.second.number)
        #expect(shared.taken(from: table) == nil)
    }

    @Test func findsAConnectionWhoseFormerNeighborOnThePortHasClosed() throws {
        let table = try #require(SocketTable())
        let shared = try SharedPort(in: table)
        table.connectionClosed(shared.first.number)
        #expect(shared.taken(from: table) == shared.second.number)
    }

    @Test func findsAConnectionOnAPortThatTwoOthersHad() throws {
        let table = try #require(SocketTable())
        let shared = try SharedPort(in: table)
        for socket in [shared.first, shared.second] { table.connectionClosed(socket.number) }
        let third = BoundSocket(host: 3, port: shared.first.port)
        try #require(third.port == shared.first.port)
        shared.add(third, to: table)
        #expect(!table.hasUnaskedBytes(onPort: third.port, isReused: true))
        #expect(shared.taken(from: table) == third.number)
    }

    @Test func aNewConnectionOnASharedPortHasNoUnaskedBytes() throws {
        let table = try #require(SocketTable())
        let shared = try SharedPort(in: table)
        #expect(!table.hasUnaskedBytes(onPort: shared.first.port, isReused: false))
        #expect(table.hasUnaskedBytes(onPort: shared.first.port, isReused: true))
    }
}

/// A TCP socket that is bound to an address of the loopback network, and closed with the value.
private final class BoundSocket {
    let number: Int32
    /// The local port; 0 if the socket could not be bound.
    let port: Int32

    /// - Parameters:
    ///   - host: The last part of the address.
    ///   - port: The local port; 0 for any.
    init(host: UInt32, port: Int32 = 0) {
        let number = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(truncatingIfNeeded: port).bigEndian
        address.sin_addr.s_addr = (0x7F00_0000 | host).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(number, $0, length) == 0 && getsockname(number, $0, &length) == 0
            }
        }
        self.number = number
        self.port = isBound ? Int32(UInt16(bigEndian: address.sin_port)) : 0
    }

    deinit { Glibc.close(number) }
}

/// Two sockets that are connected to each other.
private struct Pair {
    private(set) var near: Int32 = -1
    let far: Int32

    init() {
        var numbers: [Int32] = [-1, -1]
        socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &numbers)
        (near, far) = (numbers[0], numbers[1])
    }

    /// Closes the other pair's near socket, and gets its number.
    mutating func takeNumber(of other: inout Pair) {
        dup2(near, other.near)
        Glibc.close(near)
        near = other.near
        other.near = -1
    }

    func close() {
        for number in [near, far] where number >= 0 { Glibc.close(number) }
    }
}
#endif
