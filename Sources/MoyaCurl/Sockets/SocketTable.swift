#if os(Linux)
import CMoyaCurl
import Glibc

/// The sockets registered with epoll, and their owners.
///
/// libcurl stops watching a connection whenever it becomes idle and starts again with the next transfer, which takes
/// two system calls per request. Here an idle connection stays registered, which saves both. An idle connection that
/// becomes readable is ended, see ``endIfIdle(_:)``. This is safe only for sockets whose closing is observed, hence
/// ``connectionTaken(_:by:)`` and ``connectionClosed(_:)``; others are removed at once.
final class SocketTable {
    private struct Entry {
        /// The events registered with epoll; 0 if the socket is not registered.
        var registered: UInt32 = 0
        var key: UInt32 = 0
        /// The last transfer for which libcurl watched the socket.
        var owner: ObjectIdentifier?
        /// The round in which libcurl stopped watching.
        var releaseRound: UInt64 = 0
        /// The address and port of the near end; `nil` until it is known, and for a Unix domain socket.
        var local: SocketEnd?
        /// Tells the connection from others that have, had or will have its descriptor.
        var serial: UInt32 = 0
        var peer: SocketEnd?
        var isWanted = false
        /// `true` if libcurl made the socket with ``SocketTable/connectionMade(_:to:)``.
        ///
        /// libcurl 7.88 closes a socket whose connection failed without a callback: the number may belong to another
        /// descriptor by now.
        var isOpening = false
        /// `true` if a request was about to be sent on the socket, so that its closing will be observed.
        var isConnection = false
        /// `true` if no transfer uses the connection.
        var isIdle = false
        /// `true` if the connection was ended here, and libcurl has not closed it yet.
        var isEnded = false
        /// `true` if the peer may send unsolicited bytes, as with HTTP/2.
        var isMultiplexed = false
        /// `true` if the peer of a connection with streams may still send frames for a transfer that has ended.
        var isOwedFrames = false
        /// The time at which a transfer on the connection ended.
        var lastUse: UInt64 = 0
        /// The transfer that shares the connection with no other.
        var holder: ObjectIdentifier?
    }

    let epoll: Int32
    @exclusivity(unchecked) private var entries: [Entry] = []
    /// Sockets by local port: several may have the same one, with other addresses.
    @exclusivity(unchecked) private var descriptors: [UInt16: [Int32]] = [:]
    /// Counts the rounds in which idle connections were checked, to compare with the round in which libcurl stopped
    /// watching one.
    private var round: UInt64 = 1
    private var lastSerial: UInt32 = 0

    /// Makes a table; `nil` if the process has no free descriptor.
    init?() {
        epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard epoll >= 0 else { return nil }
    }

    deinit {
        close(epoll)
    }

    /// Watches a descriptor that belongs to no connection, key 0; each write to it is one event, so it need not be
    /// read.
    func watch(_ descriptor: Int32) -> Bool {
        control(EPOLL_CTL_ADD, descriptor, events: EPOLLIN.rawValue | EPOLLET.rawValue, key: 0)
    }

    func connectionMade(_ descriptor: Int32, to peer: SocketEnd?) {
        connectionClosed(descriptor)
        lastSerial &+= 1
        withEntry(descriptor) { entry in
            entry.isOpening = true
            entry.serial = lastSerial
            entry.peer = peer
        }
    }

    func connectionClosed(_ descriptor: Int32) {
        // The kernel removes a closed socket from epoll itself.
        withEntry(descriptor) { entry in
            forgetEnd(of: descriptor, &entry)
            entry = Entry()
        }
    }

    /// Registers the events of a socket that libcurl requests for a transfer; `false` if the kernel refuses, with the
    /// reason in `errno`.
    func want(_ what: Int32, of descriptor: Int32, key: UInt32, owner: ObjectIdentifier?) -> Bool {
        // libcurl may name none.
        var isRegistered = descriptor < 0
        var events: UInt32 = 0
        if what & CURL_POLL_IN != 0 { events |= EPOLLIN.rawValue }
        if what & CURL_POLL_OUT != 0 { events |= EPOLLOUT.rawValue }
        withEntry(descriptor) { entry in
            entry.isWanted = true
            entry.isIdle = false
            entry.owner = owner
            if entry.isOpening, entry.local == nil { recordEnd(of: descriptor, &entry) }
            isRegistered = register(events, of: descriptor, key: key, &entry)
        }
        return isRegistered
    }

    func unwant(_ descriptor: Int32) {
        withEntry(descriptor) { entry in
            entry.isWanted = false
            entry.releaseRound = round
            guard !entry.isConnection else { return }
            remove(descriptor, &entry)
            // A connection whose socket ``connection(with:)`` did not find may still use a shared port; the other socket
            // must not be taken for it.
            if let local = entry.local, descriptors[local.port, default: []].count == 1 {
                forgetEnd(of: descriptor, &entry)
            }
        }
    }

    // MARK: Connections

    /// The connection with the given ends.
    ///
    /// libcurl may never watch a socket for a transfer that reads all available bytes at once.
    func connection(with ends: ConnectionEnds) -> ConnectionID {
        guard let found = descriptors[UInt16(truncatingIfNeeded: ends.localPort)] else { return .unknown }
        var descriptor = found.first
        if found.count > 1 {
            let (local, peer) = (ends.local, ends.peer)
            descriptor = found.first { entries[Int($0)].peer == peer && entries[Int($0)].local == local }
        }
        // libcurl may have closed a socket that it neither watches nor has used.
        guard let descriptor, case let entry = entries[Int(descriptor)], entry.isWanted || entry.isConnection else {
            return .unknown
        }
        return ConnectionID(descriptor: descriptor, serial: entry.serial)
    }

    /// Records that a transfer is about to use a connection.
    ///
    /// - Parameter isAlone: `true` if no other transfer may use it meanwhile.
    func connectionTaken(_ connection: ConnectionID, by owner: ObjectIdentifier, isAlone: Bool = false) {
        withEntry(of: connection) { entry in
            entry.holder = isAlone ? owner : nil
            entry.isConnection = entry.isOpening
            entry.isIdle = false
            entry.isOwedFrames = false
            entry.owner = owner
        }
    }

    /// Records that a transfer has ended; its connection becomes idle, unless another transfer already uses it.
    ///
    /// - Parameter isOwedFrames: `true` if the peer may still send frames for it: those of a response that was given up,
    ///   or `WINDOW_UPDATE` and `RST_STREAM` for the body of a request (RFC 9113 section 5.1).
    func transferEnded(
        _ owner: ObjectIdentifier, on connection: ConnectionID, isOwedFrames: Bool, at now: UInt64 = 0
    ) {
        withEntry(of: connection) { entry in
            entry.lastUse = now
            if isOwedFrames { entry.isOwedFrames = true }
            if entry.holder == owner { entry.holder = nil }
            guard entry.isConnection, entry.owner == owner, !entry.isWanted, !entry.isMultiplexed else { return }
            entry.isIdle = true
            // Bytes that arrive unobserved would answer the next request.
            if !register(EPOLLIN.rawValue, of: connection.descriptor, key: entry.key, &entry) {
                Self.end(connection.descriptor, &entry)
            }
        }
    }

    func connectionIsMultiplexed(_ descriptor: Int32) {
        withEntry(descriptor) { $0.isMultiplexed = true }
    }

    /// Starts a round: connections that become idle from now on have not been checked.
    func beginRound() { round += 1 }

    /// Ends the connection of an event if it is idle: bytes that arrive there answer no request, and must not be used
    /// as the response to the next one (RFC 9112 section 9.2).
    func endIfIdle(_ event: epoll_event) {
        guard event.data.u64 >> 32 != 0 else { return }
        let descriptor = Int32(truncatingIfNeeded: event.data.u64)
        withEntry(descriptor) { entry in
            // Bytes that were ready when the thread woke up may have been read since.
            guard entry.isIdle, entry.registered != 0, Self.hasArrivals(descriptor) else { return }
            remove(descriptor, &entry)
            Self.end(descriptor, &entry)
        }
    }

    /// Checks every idle connection now, within a round.
    func endReadableIdleConnections() {
        beginRound()
        // As many as fit into a kilobyte, up to which the memory is on the stack.
        withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: 80) { events in
            guard let first = events.baseAddress else { return }
            // The kernel returns the ready sockets in turn: there are never more of them than entries.
            var unseen = entries.count
            while unseen > 0 {
                let count = Int(epoll_wait(epoll, first, Int32(events.count), 0))
                for event in events.prefix(max(0, count)) { endIfIdle(event) }
                unseen = count == events.count ? unseen - count : 0
            }
        }
    }

    /// `true` if a request must not be sent on a connection: it was ended here, or has unread bytes although no transfer
    /// uses it, or its end.
    ///
    /// libcurl from 8.22 on looks at a connection at most once a second.
    ///
    /// - Parameters:
    ///   - silentSince: The time of a request to the server that was not answered on another connection without streams;
    ///     0 if there is none.
    ///   - isReused: `false` for a connection that was made for the request.
    ///   - isInUse: `true` if another transfer uses the connection.
    func isUnfit(
        _ connection: ConnectionID, silentSince: UInt64 = 0, isReused: @autoclosure () -> Bool,
        isInUse: @autoclosure () -> Bool
    ) -> Bool {
        let descriptor = connection.descriptor
        var isUnfit = false
        withEntry(of: connection) { entry in
            guard !entry.isEnded, entry.holder == nil else { return isUnfit = true }
            if !entry.isWanted, !entry.isMultiplexed, entry.lastUse < silentSince, isReused() {
                isUnfit = true
                return Self.end(descriptor, &entry)
            }
            guard !entry.isWanted, entry.isMultiplexed || entry.releaseRound == round, Self.hasArrivals(descriptor)
            else { return }
            guard entry.isMultiplexed else {
                isUnfit = true
                return Self.end(descriptor, &entry)
            }
            isUnfit = isReused() && !isInUse() && (!entry.isOwedFrames || Self.isEndedByPeer(descriptor))
        }
        return isUnfit
    }

    /// `true` if the peer of a connection may send frames for a transfer that has ended, or is unknown.
    func isOwedFrames(on connection: ConnectionID) -> Bool {
        var isOwed = true
        withEntry(of: connection) { isOwed = $0.isOwedFrames }
        return isOwed
    }

    /// Ends a connection, so that libcurl finds it closed.
    func endConnection(_ connection: ConnectionID) {
        withEntry(of: connection) { entry in
            // Otherwise libcurl may have closed the socket, and its number may belong to another descriptor.
            if entry.isConnection || entry.isWanted { Self.end(connection.descriptor, &entry) }
        }
    }

    /// `true` if bytes, or the end, have arrived.
    private static func hasArrivals(_ descriptor: Int32) -> Bool {
        var byte: UInt8 = 0
        let count = recv(descriptor, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT))
        return count >= 0 || (errno != EAGAIN && errno != EINTR)
    }

    /// `true` if the peer has closed the connection, whether or not bytes are before its end.
    private static func isEndedByPeer(_ descriptor: Int32) -> Bool {
        var asked = pollfd(fd: descriptor, events: Int16(EPOLLRDHUP.rawValue), revents: 0)
        return poll(&asked, 1, 0) > 0
    }

    /// Shuts the connection down and discards received bytes: libcurl would read them before the end.
    private static func end(_ descriptor: Int32, _ entry: inout Entry) {
        entry.isEnded = true
        shutdown(descriptor, Int32(SHUT_RDWR))
        // Without a buffer, bytes are counted and discarded.
        while recv(descriptor, nil, 1 << 30, Int32(MSG_TRUNC | MSG_DONTWAIT)) > 0 {}
    }

    private func recordEnd(of descriptor: Int32, _ entry: inout Entry) {
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let local: SocketEnd? = withUnsafeMutableBytes(of: &address) { bytes in
            guard let address = bytes.assumingMemoryBound(to: sockaddr.self).baseAddress,
                getsockname(descriptor, address, &length) == 0
            else { return nil }
            return SocketEnd(UnsafeRawBufferPointer(bytes), family: Int32(address.pointee.sa_family))
        }
        guard let local, local.port != 0 else { return }
        entry.local = local
        descriptors[local.port, default: []].append(descriptor)
    }

    private func forgetEnd(of descriptor: Int32, _ entry: inout Entry) {
        guard let port = entry.local?.port else { return }
        if let others = descriptors[port]?.filter({ $0 != descriptor }) {
            descriptors[port] = others.isEmpty ? nil : others
        }
        entry.local = nil
    }

    // MARK: Events

    /// The socket of an event and the key of its connections; `nil` if no transfer waits for the event.
    func ready(_ event: epoll_event) -> (descriptor: Int32, key: UInt32)? {
        let key = UInt32(truncatingIfNeeded: event.data.u64 >> 32)
        let descriptor = Int32(truncatingIfNeeded: event.data.u64)
        guard key != 0 else { return nil }
        withEntry(descriptor) { entry in
            // An idle one stays registered: its bytes have been read.
            if !entry.isWanted, !entry.isIdle { remove(descriptor, &entry) }
        }
        return (descriptor, key)
    }

    /// Does nothing if the connection is unknown, or its descriptor belongs to another one by now.
    private func withEntry(of connection: ConnectionID, _ body: (inout Entry) -> Void) {
        withEntry(connection.descriptor) { if $0.serial == connection.serial { body(&$0) } }
    }

    private func withEntry(_ descriptor: Int32, _ body: (inout Entry) -> Void) {
        let index = Int(descriptor)
        guard index >= 0 else { return }
        if index >= entries.count {
            entries.append(contentsOf: repeatElement(Entry(), count: index + 64 - entries.count))
        }
        body(&entries[index])
    }

    /// Registers events; `false` if the kernel has no memory for it, or its limit of watched sockets is reached.
    private func register(_ events: UInt32, of descriptor: Int32, key: UInt32, _ entry: inout Entry) -> Bool {
        guard entry.registered != events || entry.key != key else { return true }
        let isKnown = entry.registered != 0
        let done =
            control(isKnown ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, descriptor, events: events, key: key)
            || control(isKnown ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, descriptor, events: events, key: key)
        entry.registered = done ? events : 0
        entry.key = key
        return done
    }

    private func remove(_ descriptor: Int32, _ entry: inout Entry) {
        guard entry.registered != 0 else { return }
        control(EPOLL_CTL_DEL, descriptor, events: 0, key: 0)
        entry.registered = 0
    }

    @discardableResult
    private func control(_ operation: Int32, _ descriptor: Int32, events: UInt32, key: UInt32) -> Bool {
        var event = epoll_event()
        event.events = events
        event.data.u64 = UInt64(key) << 32 | UInt64(UInt32(bitPattern: descriptor))
        return epoll_ctl(epoll, operation, descriptor, &event) == 0
    }
}
#endif
