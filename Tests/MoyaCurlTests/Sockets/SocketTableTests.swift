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
        table.connectionMade(opening.near, to: nil)
        #expect(table.want(CURL_POLL_OUT, of: opening.near, key: 1, owner: ObjectIdentifier(owner)))
        stranger.takeNumber(of: &opening)
        table.unwant(stranger.near)
        table.transferEnded(
            ObjectIdentifier(owner), on: ConnectionID(descriptor: stranger.near, serial: 1), isOwedFrames: false)

        #expect(send(stranger.far, "x", 1, 0) == 1)
        table.endReadableIdleConnections()
        var byte: UInt8 = 0
        #expect(recv(stranger.near, &byte, 1, Int32(MSG_DONTWAIT)) == 1)
        #expect(send(stranger.near, "y", 1, Int32(MSG_NOSIGNAL)) == 1)
    }

    /// Two connections from the same port to different peers.
    private struct SharedPort {
        let first = BoundSocket(host: 1)
        let second: BoundSocket
        let owner = Owner()

        init(in table: SocketTable, peer: UInt32? = nil) throws {
            second = BoundSocket(host: 2, peer: peer, port: first.port)
            try #require(first.port > 0 && second.port == first.port)
            add(first, to: table)
            add(second, to: table)
        }

        func add(_ socket: BoundSocket, to table: SocketTable) {
            table.connectionMade(socket.number, to: socket.peer)
            #expect(table.want(CURL_POLL_IN, of: socket.number, key: 1, owner: ObjectIdentifier(owner)))
        }
    }

    @Test func tellsConnectionsOnAPortByTheirPeers() throws {
        let table = try #require(SocketTable())
        let shared = try SharedPort(in: table)
        #expect(shared.first.found(in: table) == shared.first.number)
        #expect(shared.second.found(in: table) == shared.second.number)
    }

    @Test func tellsConnectionsToAPeerByTheirLocalAddresses() throws {
        let table = try #require(SocketTable())
        let shared = try SharedPort(in: table, peer: 1)
        #expect(shared.first.found(in: table) == shared.first.number)
        #expect(shared.second.found(in: table) == shared.second.number)
    }

    @Test func findsNoConnectionToAnotherPeerOnASharedPort() throws {
        let table = try #require(SocketTable())
        let shared = try SharedPort(in: table)
        let other = BoundSocket(host: 3, port: shared.first.port)
        try #require(other.port == shared.first.port)
        #expect(other.found(in: table) == ConnectionID.unknown.descriptor)
    }

    @Test func findsAConnectionOnAPortThatTwoOthersHad() throws {
        let table = try #require(SocketTable())
        let shared = try SharedPort(in: table)
        for socket in [shared.first, shared.second] { table.connectionClosed(socket.number) }
        let third = BoundSocket(host: 3, port: shared.first.port)
        try #require(third.port == shared.first.port)
        shared.add(third, to: table)
        #expect(third.found(in: table) == third.number)
    }

    /// libcurl closes such a socket without a callback, and its number may belong to another descriptor.
    @Test func findsNoSocketThatIsNeitherWatchedNorUsed() throws {
        let table = try #require(SocketTable())
        let shared = try SharedPort(in: table)
        table.unwant(shared.second.number)
        table.connectionClosed(shared.first.number)
        #expect(shared.second.found(in: table) == ConnectionID.unknown.descriptor)
    }

    @Test func anUnknownConnectionIsFitAndOwedFrames() throws {
        let table = try #require(SocketTable())
        #expect(!table.isUnfit(.unknown, isReused: true, isInUse: false))
        #expect(table.isOwedFrames(on: .unknown))
    }

    @Test func framesAreOwedOnTheConnectionOfTheTransferOnly() throws {
        let table = try #require(SocketTable())
        let used = try UsedConnection(in: table, isMultiplexed: true)
        let former = ConnectionID(descriptor: used.pair.near, serial: used.connection.serial - 1)
        table.transferEnded(ObjectIdentifier(Owner()), on: former, isOwedFrames: true)
        #expect(!table.isOwedFrames(on: used.connection))
    }

    @Test func endsNoConnectionThatHasTheNumberOfAFormerOne() throws {
        let table = try #require(SocketTable())
        let used = try UsedConnection(in: table, isMultiplexed: true)
        let former = used.connection
        table.connectionClosed(used.pair.near)
        table.connectionMade(used.pair.near, to: nil)
        #expect(table.want(CURL_POLL_OUT, of: used.pair.near, key: 1, owner: nil))
        table.endConnection(former)
        #expect(send(used.pair.near, "x", 1, Int32(MSG_NOSIGNAL)) == 1)
    }

    @Test(arguments: ["127.0.0.1", "::1"])
    func aPeerIsTheSameAsTextAndAsASocketAddress(_ text: String) throws {
        var made = MadeAddress(text, port: 443)
        let peer = made.peer
        try #require(peer != nil)
        #expect(peer == SocketEnd(address: text, port: 443))
        #expect(peer != SocketEnd(address: text, port: 444))
        #expect(peer != SocketEnd(address: text + "2", port: 443))
    }

    /// The memory that libcurl has for the address of a socket.
    private struct MadeAddress {
        private var storage = (curl_sockaddr(), sockaddr_in6())

        init(_ text: String, port: UInt16) {
            let isVersion6 = text.contains(":")
            storage.0.family = isVersion6 ? AF_INET6 : AF_INET
            storage.0.addrlen = UInt32(
                isVersion6 ? MemoryLayout<sockaddr_in6>.size : MemoryLayout<sockaddr_in>.size)
            withUnsafeMutableBytes(of: &storage) { bytes in
                let address = bytes[(MemoryLayout<curl_sockaddr>.offset(of: \.addr) ?? 0)...]
                let rebased = UnsafeMutableRawBufferPointer(rebasing: address)
                rebased.storeBytes(of: port.bigEndian, toByteOffset: 2, as: UInt16.self)
                inet_pton(isVersion6 ? AF_INET6 : AF_INET, text, rebased.baseAddress.map { $0 + (isVersion6 ? 8 : 4) })
            }
        }

        var peer: SocketEnd? {
            mutating get { withUnsafeMutablePointer(to: &storage.0) { SocketEnd($0) } }
        }
    }

    // MARK: Connections that libcurl takes for usable ones

    /// A connection that a transfer has used.
    private struct UsedConnection {
        let pair = ConnectedPair()
        let connection: ConnectionID
        /// `true` if its socket could be watched.
        let isWatched: Bool
        private let owner = Owner()

        /// - Parameters:
        ///   - isMultiplexed: `true` for a connection with streams.
        ///   - isOwedFrames: `true` if the server may still send frames for the transfer.
        ///   - end: The time at which its transfer ended.
        init(in table: SocketTable, isMultiplexed: Bool, isOwedFrames: Bool = false, end: UInt64 = 0) throws {
            try #require(pair.port > 0)
            table.connectionMade(pair.near, to: nil)
            isWatched = table.want(CURL_POLL_IN, of: pair.near, key: 1, owner: ObjectIdentifier(owner))
            connection = table.connection(with: ConnectionEnds(localPort: pair.port, peerPort: 0, peerAddress: nil))
            try #require(connection.descriptor == pair.near)
            table.connectionTaken(connection, by: ObjectIdentifier(owner))
            if isMultiplexed { table.connectionIsMultiplexed(pair.near) }
            table.unwant(pair.near)
            table.transferEnded(ObjectIdentifier(owner), on: connection, isOwedFrames: isOwedFrames, at: end)
        }
    }

    @Test(arguments: [false, true])
    func aQuietConnectionIsFit(isMultiplexed: Bool) throws {
        let table = try #require(SocketTable())
        let used = try UsedConnection(in: table, isMultiplexed: isMultiplexed)
        table.endReadableIdleConnections()
        #expect(!table.isUnfit(used.connection, isReused: true, isInUse: false))
    }

    @Test(arguments: ["x", ""], [false, true])
    func aConnectionIsUnfitAfterAnythingArrivedInTheRoundInWhichItBecameIdle(
        _ bytes: String, isMultiplexed: Bool
    ) throws {
        let table = try #require(SocketTable())
        let used = try UsedConnection(in: table, isMultiplexed: isMultiplexed)
        try used.pair.receive(bytes)
        #expect(table.isUnfit(used.connection, isReused: true, isInUse: false))
    }

    @Test(arguments: ["x", ""], [false, true])
    func aConnectionIsUnfitAfterAnythingArrivedInALaterRound(_ bytes: String, isMultiplexed: Bool) throws {
        let table = try #require(SocketTable())
        let used = try UsedConnection(in: table, isMultiplexed: isMultiplexed)
        try used.pair.receive(bytes)
        table.endReadableIdleConnections()
        #expect(table.isUnfit(used.connection, isReused: true, isInUse: false))
    }

    @Test func framesOfAResponseThatWasGivenUpMakeNoConnectionUnfit() throws {
        let table = try #require(SocketTable())
        let used = try UsedConnection(in: table, isMultiplexed: true, isOwedFrames: true)
        try used.pair.receive("x")
        #expect(!table.isUnfit(used.connection, isReused: true, isInUse: false))
    }

    @Test func theEndBehindSuchFramesMakesAConnectionUnfit() throws {
        let table = try #require(SocketTable())
        let used = try UsedConnection(in: table, isMultiplexed: true, isOwedFrames: true)
        try used.pair.receive("x")
        try used.pair.receive("")
        #expect(table.isUnfit(used.connection, isReused: true, isInUse: false))
    }

    @Test func bytesOnAConnectionWithStreamsThatIsInUseAreOfAnotherTransfer() throws {
        let table = try #require(SocketTable())
        let used = try UsedConnection(in: table, isMultiplexed: true)
        try used.pair.receive("x")
        #expect(!table.isUnfit(used.connection, isReused: true, isInUse: true))
    }

    @Test(arguments: [false, true])
    func aConnectionUsedOnlyBeforeASilenceIsUnfitUnlessItHasStreams(isMultiplexed: Bool) throws {
        let table = try #require(SocketTable())
        let used = try UsedConnection(in: table, isMultiplexed: isMultiplexed, end: 5)
        #expect(!table.isUnfit(used.connection, silentSince: 5, isReused: true, isInUse: false))
        #expect(table.isUnfit(used.connection, silentSince: 6, isReused: true, isInUse: false) == !isMultiplexed)
    }

    @Test func aSocketThatCannotBeWatchedIsReported() throws {
        let table = try #require(SocketTable())
        table.watchNothing()
        #expect(try !UsedConnection(in: table, isMultiplexed: false).isWatched)
    }

    @Test func anIdleConnectionThatCannotBeWatchedIsUnfit() throws {
        let table = try #require(SocketTable())
        table.watchNothing()
        let used = try UsedConnection(in: table, isMultiplexed: false)
        table.beginRound()
        #expect(table.isUnfit(used.connection, isReused: true, isInUse: false))
    }

    @Test func theNextConnectionWithTheNumberOfAnEndedOneIsFit() throws {
        let table = try #require(SocketTable())
        let used = try UsedConnection(in: table, isMultiplexed: false)
        try used.pair.receive("x")
        try #require(table.isUnfit(used.connection, isReused: true, isInUse: false))
        table.connectionClosed(used.pair.near)
        table.connectionMade(used.pair.near, to: nil)
        #expect(table.want(CURL_POLL_OUT, of: used.pair.near, key: 1, owner: nil))
        let next = ConnectionEnds(localPort: used.pair.port, peerPort: 0, peerAddress: nil)
        #expect(!table.isUnfit(table.connection(with: next), isReused: false, isInUse: false))
    }
}

extension SocketTable {
    /// Makes every later registration fail.
    fileprivate func watchNothing() {
        let other = eventfd(0, Int32(EFD_CLOEXEC))
        dup2(other, epoll)
        close(other)
    }
}

/// Two ends of a TCP connection, closed with the value.
private final class ConnectedPair {
    let near: Int32
    private let far: Int32
    /// The local port of the near end; 0 if there is no connection.
    let port: Int32

    init() {
        let near = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        let listener = BoundSocket(host: 1)
        listen(listener.number, 1)
        var address = listener.address
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isConnected = withUnsafeMutablePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(near, $0, length) == 0 && getsockname(near, $0, &length) == 0
            }
        }
        self.near = near
        far = withExtendedLifetime(listener) { isConnected ? accept(listener.number, nil, nil) : -1 }
        port = isConnected ? Int32(UInt16(bigEndian: address.sin_port)) : 0
    }

    deinit {
        close(near)
        close(far)
    }

    /// Sends bytes to the near end, or the end if there are none, and waits until they have arrived.
    func receive(_ bytes: String) throws {
        if bytes.isEmpty { shutdown(far, Int32(SHUT_WR)) } else { send(far, bytes, bytes.utf8.count, 0) }
        let arrival = bytes.isEmpty ? Int16(EPOLLRDHUP.rawValue) : Int16(POLLIN)
        var waiting = pollfd(fd: near, events: arrival, revents: 0)
        try #require(poll(&waiting, 1, 10_000) == 1)
    }
}

/// A TCP socket that is bound to an address of the loopback network, and closed with the value.
private final class BoundSocket {
    let number: Int32
    /// The local port; 0 if the socket could not be bound.
    let port: Int32
    let address: sockaddr_in
    /// The address to which a connection would lead.
    private let peerAddress: String

    /// The peer to which the socket would be connected.
    var peer: SocketEnd? { SocketEnd(address: peerAddress, port: 443) }

    private let localAddress: String

    /// The descriptor of the connection from the address and port to the peer.
    func found(in table: SocketTable) -> Int32 {
        localAddress.withCString { local in
            peerAddress.withCString { peer in
                table.connection(
                    with: ConnectionEnds(localPort: port, localAddress: local, peerPort: 443, peerAddress: peer)
                ).descriptor
            }
        }
    }

    /// - Parameters:
    ///   - host: The last part of the address.
    ///   - peer: That of the peer; the same by default.
    ///   - port: The local port; 0 for any.
    init(host: UInt32, peer: UInt32? = nil, port: Int32 = 0) {
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
        self.address = address
        localAddress = "127.0.0.\(host)"
        peerAddress = "127.0.0.\(peer ?? host)"
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
