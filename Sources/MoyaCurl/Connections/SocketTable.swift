#if os(Linux)
import CMoyaCurl
import Glibc

/// The sockets that epoll watches, and their owners.
///
/// libcurl stops watching a connection whenever it falls idle and starts again with the next transfer: two system
/// calls a request. A connection stays registered here while it is idle, and both are saved. An idle one that becomes
/// readable is ended, see ``endIfIdle(_:)``. That is safe only for sockets whose closing is seen, hence
/// ``connectionTaken(onPort:by:)`` and ``connectionClosed(_:)``; others are taken out at once.
final class SocketTable {
    private struct Entry {
        /// The events that epoll watches for; 0 when it does not know the socket.
        var registered: UInt32 = 0
        var key: UInt32 = 0
        /// The transfer that libcurl had watch the socket last.
        var owner: ObjectIdentifier?
        /// The round in which libcurl stopped watching.
        var releaseRound: UInt64 = 0
        var localPort: UInt16 = 0
        var isWanted = false
        /// `true` if libcurl has made the socket by ``SocketTable/connectionMade(_:)``.
        ///
        /// libcurl 7.88 closes a socket whose connection failed without a callback: the number may belong to another
        /// descriptor now.
        var isOpening = false
        /// `true` if a request was about to be sent there: its closing will be seen.
        var isConnection = false
        /// `true` if no transfer has the connection.
        var isIdle = false
        /// `true` if the peer may send unasked, as with HTTP/2.
        var isMultiplexed = false
    }

    let epoll: Int32
    private var entries: [Entry] = []
    /// Connections by the port of this machine; ``ambiguous`` where two have the same.
    private var descriptors: [UInt16: Int32] = [:]
    private static let ambiguous: Int32 = -1
    /// Counts how often idle connections were looked at, and when libcurl last stopped watching one.
    private var round: UInt64 = 1
    private var lastRelease: UInt64 = 0

    /// Makes a table; `nil` when the process has no descriptor left.
    init?() {
        epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard epoll >= 0 else { return nil }
    }

    deinit {
        close(epoll)
    }

    /// Watches a descriptor that belongs to no connections, key 0, and whose every writing is one event: it need not be read.
    func watch(_ descriptor: Int32) -> Bool {
        control(EPOLL_CTL_ADD, descriptor, events: EPOLLIN.rawValue | EPOLLET.rawValue, key: 0)
    }

    func connectionMade(_ descriptor: Int32) {
        connectionClosed(descriptor)
        withEntry(descriptor) { $0.isOpening = true }
    }

    func connectionClosed(_ descriptor: Int32) {
        // The kernel forgets a closed socket by itself.
        withEntry(descriptor) { entry in
            forgetPort(of: descriptor, &entry)
            entry = Entry()
        }
    }

    /// Watches a socket for what libcurl wants to know of it on behalf of a transfer.
    func want(_ what: Int32, of descriptor: Int32, key: UInt32, owner: ObjectIdentifier?) {
        var events: UInt32 = 0
        if what & CURL_POLL_IN != 0 { events |= EPOLLIN.rawValue }
        if what & CURL_POLL_OUT != 0 { events |= EPOLLOUT.rawValue }
        withEntry(descriptor) { entry in
            entry.isWanted = true
            entry.isIdle = false
            entry.owner = owner
            if entry.isOpening, entry.localPort == 0 { recordPort(of: descriptor, &entry) }
            register(events, of: descriptor, key: key, &entry)
        }
    }

    func unwant(_ descriptor: Int32) {
        withEntry(descriptor) { entry in
            entry.isWanted = false
            entry.releaseRound = round
            lastRelease = round
            guard !entry.isConnection else { return }
            remove(descriptor, &entry)
            forgetPort(of: descriptor, &entry)
        }
    }

    // MARK: Idle connections

    /// Records that a transfer is about to use the connection from a local port, and returns its socket where that is known.
    ///
    /// libcurl may have no socket watched for a transfer that reads all there is at once.
    func connectionTaken(onPort port: Int32, by owner: ObjectIdentifier) -> Int32? {
        guard let descriptor = descriptors[UInt16(truncatingIfNeeded: port)], descriptor != Self.ambiguous else {
            return nil
        }
        withEntry(descriptor) { entry in
            entry.isConnection = entry.isOpening
            entry.isIdle = false
            entry.owner = owner
        }
        return descriptor
    }

    /// Records that a transfer is over; its connection is idle from now on, unless another transfer has it already.
    func transferEnded(_ owner: ObjectIdentifier, on descriptor: Int32) {
        withEntry(descriptor) { entry in
            guard entry.isConnection, entry.owner == owner, !entry.isWanted, !entry.isMultiplexed else { return }
            entry.isIdle = true
            register(EPOLLIN.rawValue, of: descriptor, key: entry.key, &entry)
        }
    }

    func connectionIsMultiplexed(_ descriptor: Int32) {
        withEntry(descriptor) { $0.isMultiplexed = true }
    }

    /// Begins to look at events: connections that fall idle from now on have not been looked at.
    func beginRound() { round += 1 }

    /// Ends the connection of an event if it is idle: what arrives there answers no request, and must not be taken for the
    /// answer to the next one (RFC 9112 section 9.2).
    func endIfIdle(_ event: epoll_event) {
        guard event.data.u64 >> 32 != 0 else { return }
        let descriptor = Int32(truncatingIfNeeded: event.data.u64)
        withEntry(descriptor) { entry in
            // Bytes that were ready when the thread woke up may have been read since.
            guard entry.isIdle, entry.registered != 0, Self.hasArrivals(descriptor) else { return }
            remove(descriptor, &entry)
            Self.end(descriptor)
        }
    }

    /// Looks at every idle connection now, in the middle of a round.
    func endReadableIdleConnections() {
        beginRound()
        withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: 256) { events in
            let count = epoll_wait(epoll, events.baseAddress, 256, 0)
            for event in events.prefix(max(0, Int(count))) { endIfIdle(event) }
        }
    }

    /// `true` if the connection from a local port, which a request is about to use, has fallen idle in this round and
    /// holds bytes already.
    ///
    /// It is ended if so.
    func hasUnaskedBytes(onPort port: Int32) -> Bool {
        guard lastRelease == round else { return false }
        let port = UInt16(truncatingIfNeeded: port)
        guard let descriptor = descriptors[port] else { return false }
        guard descriptor != Self.ambiguous else { return true }
        var found = false
        withEntry(descriptor) { entry in
            guard entry.releaseRound == round, !entry.isWanted, !entry.isMultiplexed else { return }
            found = Self.hasArrivals(descriptor)
        }
        if found { Self.end(descriptor) }
        return found
    }

    /// Ends the connection from a local port, so that libcurl finds it dead.
    func endConnection(onPort port: Int32) {
        if let descriptor = descriptors[UInt16(truncatingIfNeeded: port)], descriptor != Self.ambiguous {
            Self.end(descriptor)
        }
    }

    /// `true` if bytes, or the end, have arrived.
    private static func hasArrivals(_ descriptor: Int32) -> Bool {
        var byte: UInt8 = 0
        let count = recv(descriptor, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT))
        return count >= 0 || (errno != EAGAIN && errno != EINTR)
    }

    /// Says that nothing more is sent or read, and throws away what has arrived: libcurl would find it before the end.
    private static func end(_ descriptor: Int32) {
        shutdown(descriptor, Int32(SHUT_RDWR))
        // Without a buffer, bytes are counted and dropped.
        while recv(descriptor, nil, 1 << 30, Int32(MSG_TRUNC | MSG_DONTWAIT)) > 0 {}
    }

    private func recordPort(of descriptor: Int32, _ entry: inout Entry) {
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let port: UInt16 = withUnsafeMutableBytes(of: &address) { bytes in
            guard let address = bytes.assumingMemoryBound(to: sockaddr.self).baseAddress,
                getsockname(descriptor, address, &length) == 0
            else { return 0 }
            // It lies at the same place in both families.
            return UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: 2, as: UInt16.self))
        }
        guard port != 0 else { return }
        entry.localPort = port
        descriptors[port] = descriptors[port] == nil ? descriptor : Self.ambiguous
    }

    private func forgetPort(of descriptor: Int32, _ entry: inout Entry) {
        if descriptors[entry.localPort] == descriptor { descriptors[entry.localPort] = nil }
        entry.localPort = 0
    }

    // MARK: Events

    /// The socket that an event is for and the key of its connections; `nil` for what no transfer waits for.
    func ready(_ event: epoll_event) -> (descriptor: Int32, key: UInt32)? {
        let key = UInt32(truncatingIfNeeded: event.data.u64 >> 32)
        let descriptor = Int32(truncatingIfNeeded: event.data.u64)
        guard key != 0 else { return nil }
        withEntry(descriptor) { entry in
            // An idle one stays: what was ready has been read.
            if !entry.isWanted, !entry.isIdle { remove(descriptor, &entry) }
        }
        return (descriptor, key)
    }

    private func withEntry(_ descriptor: Int32, _ body: (inout Entry) -> Void) {
        let index = Int(descriptor)
        guard index >= 0 else { return }
        if index >= entries.count {
            entries.append(contentsOf: repeatElement(Entry(), count: index + 64 - entries.count))
        }
        body(&entries[index])
    }

    private func register(_ events: UInt32, of descriptor: Int32, key: UInt32, _ entry: inout Entry) {
        guard entry.registered != events || entry.key != key else { return }
        let isKnown = entry.registered != 0
        let done =
            control(isKnown ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, descriptor, events: events, key: key)
            || control(isKnown ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, descriptor, events: events, key: key)
        entry.registered = done ? events : 0
        entry.key = key
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
