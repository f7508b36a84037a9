#if os(Linux)
import CMoyaCurl
import Glibc

/// Which sockets epoll watches, and for whom.
///
/// libcurl stops watching a connection whenever it falls idle and starts again with the next transfer: two system
/// calls a request. A connection stays registered here while it is idle, and both are saved; should an idle one
/// become readable (the server has closed it), it is taken out then. That is safe only for sockets whose closing is
/// seen, hence ``connectionMade(_:)`` and ``connectionClosed(_:)``; others are taken out at once.
final class SocketTable {
    private struct Entry {
        /// What epoll watches for; 0 when it does not know the socket.
        var registered: UInt32 = 0
        var key: UInt32 = 0
        var isWanted = false
        var isConnection = false
    }

    let epoll: Int32
    private var entries: [Entry] = []

    init() {
        epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
    }

    deinit {
        close(epoll)
    }

    /// Watches a descriptor that belongs to no connections, key 0, and whose every writing is one event: it need not be read.
    func watch(_ descriptor: Int32) {
        control(EPOLL_CTL_ADD, descriptor, events: EPOLLIN.rawValue | EPOLLET.rawValue, key: 0)
    }

    func connectionMade(_ descriptor: Int32) {
        withEntry(descriptor) { $0 = Entry(isConnection: true) }
    }

    func connectionClosed(_ descriptor: Int32) {
        // The kernel forgets a closed socket by itself.
        withEntry(descriptor) { $0 = Entry() }
    }

    /// Watches a socket for what libcurl wants to know of it.
    func want(_ what: Int32, of descriptor: Int32, key: UInt32) {
        var events: UInt32 = 0
        if what & CURL_POLL_IN != 0 { events |= EPOLLIN.rawValue }
        if what & CURL_POLL_OUT != 0 { events |= EPOLLOUT.rawValue }
        withEntry(descriptor) { entry in
            entry.isWanted = true
            guard entry.registered != events || entry.key != key else { return }
            var done = control(
                entry.registered == 0 ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, descriptor, events: events, key: key)
            if !done {
                done = control(
                    entry.registered == 0 ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, descriptor, events: events, key: key)
            }
            entry.registered = done ? events : 0
            entry.key = key
        }
    }

    func unwant(_ descriptor: Int32) {
        withEntry(descriptor) { entry in
            entry.isWanted = false
            if !entry.isConnection { remove(descriptor, &entry) }
        }
    }

    /// The socket that an event is for and the key of its connections; `nil` for the descriptor without any.
    func ready(_ event: epoll_event) -> (descriptor: Int32, key: UInt32)? {
        let key = UInt32(truncatingIfNeeded: event.data.u64 >> 32)
        let descriptor = Int32(truncatingIfNeeded: event.data.u64)
        guard key != 0 else { return nil }
        withEntry(descriptor) { entry in
            if !entry.isWanted { remove(descriptor, &entry) }
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
