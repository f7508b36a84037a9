#if canImport(Glibc)
import Foundation
import Glibc
import MoyaTransport

/// Monitors the network with the kernel's notifications (rtnetlink(7)).
///
/// A notification is only a signal of a change: the kernel does not report every route that disappears with a link, and
/// drops messages that are not read in time. Links, addresses and routes are then read again.
///
/// It monitors the network namespace of the thread that creates it.
///
/// `@unchecked`: a dispatch source may be cancelled from any thread, and is not changed otherwise after activation.
final class NetlinkMonitor: NetworkMonitor, @unchecked Sendable {
    private let queue = DispatchQueue(label: "org.moya.reachability")
    private let notifications: Int32
    private let questions: Int32
    private let source: any DispatchSourceRead
    private let sequence = Lock<UInt32>(0)

    /// Starts monitoring.
    ///
    /// - Parameter onChange: Called with the initial state before the monitor is returned, and on a queue of the monitor
    ///   after each change. If the kernel does not give the initial state, it is a network, and calls show the truth.
    /// - Returns: `nil` if the kernel cannot be queried, for example in a sandbox.
    init?(onChange: @escaping @Sendable (NetworkState) -> Void) {
        // RTMGRP_LINK, RTMGRP_IPV4_IFADDR, RTMGRP_IPV4_ROUTE, RTMGRP_IPV6_IFADDR, RTMGRP_IPV6_ROUTE
        guard let notifications = Self.open(groups: 0x1 | 0x10 | 0x40 | 0x100 | 0x400, isBlocking: false) else {
            return nil
        }
        guard let questions = Self.open(groups: 0, isBlocking: true) else {
            close(notifications)
            return nil
        }
        self.notifications = notifications
        self.questions = questions
        source = DispatchSource.makeReadSource(fileDescriptor: notifications, queue: queue)
        source.setCancelHandler {
            close(notifications)
            close(questions)
        }
        source.setEventHandler { [weak self] in
            guard let self else { return }
            self.discardNotifications()
            if let table = self.read() { onChange(table.state) }
        }
        onChange(read()?.state ?? NetworkState(interface: .ethernetOrWiFi))
        source.activate()
    }

    deinit { source.cancel() }

    func stop() { source.cancel() }

    // MARK: Sockets

    private static func open(groups: UInt32, isBlocking: Bool) -> Int32? {
        let flags = isBlocking ? SOCK_CLOEXEC.rawValue : SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
        let descriptor = socket(AF_NETLINK, Int32(SOCK_RAW.rawValue | flags), 0)  // NETLINK_ROUTE
        guard descriptor >= 0 else { return nil }
        // struct sockaddr_nl { u16 family; u16; u32 port; u32 groups; }, which is missing in Glibc's module.
        var address: (UInt16, UInt16, UInt32, UInt32) = (UInt16(AF_NETLINK), 0, 0, groups)
        let isBound = withUnsafeBytes(of: &address) { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) { bind(descriptor, $0.baseAddress, 12) == 0 }
        }
        // The kernel answers at once; with this limit, a missing answer costs one reading instead of a thread.
        var limit = timeval(tv_sec: 2, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        guard isBound else {
            close(descriptor)
            return nil
        }
        return descriptor
    }

    /// Empties the socket: the tables are read again in any case.
    private func discardNotifications() {
        var buffer = [UInt8](repeating: 0, count: 16 * 1024)
        while true {
            let count = recv(notifications, &buffer, buffer.count, 0)
            // ENOBUFS: some messages were dropped, and the rest is still available.
            if count > 0 || (count < 0 && (errno == EINTR || errno == ENOBUFS)) { continue }
            return
        }
    }

    // MARK: Reading

    /// The current tables; `nil` if they could not be read, or keep changing.
    private func read() -> RoutingTable? {
        for _ in 0..<5 {
            var table = RoutingTable()
            var isWhole = true
            for request in [NetlinkMessage.getLink, NetlinkMessage.getAddress, NetlinkMessage.getRoute] {
                switch dump(request, into: &table) {
                case .whole: break
                case .interrupted: isWhole = false
                case .failed: return nil
                }
            }
            if isWhole { return table }
        }
        return nil
    }

    private enum Dump { case whole, interrupted, failed }

    private func dump(_ type: UInt16, into table: inout RoutingTable) -> Dump {
        let number = sequence.add(1)
        let request = NetlinkMessage.dumpRequest(type, sequence: number)
        guard send(questions, request, request.count, 0) == request.count else { return .failed }
        // The maximum size of a kernel message (NLMSG_GOODSIZE and the largest dump's 32 KiB).
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        var outcome = Dump.whole
        while true {
            let count = recv(questions, &buffer, buffer.count, 0)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return .failed }
            for message in NetlinkMessage.messages(in: buffer[..<count]) where message.sequence == number {
                if message.isInterrupted { outcome = .interrupted }
                switch message.type {
                case NetlinkMessage.done: return outcome
                case NetlinkMessage.error: return .failed
                default: table.record(message)
                }
            }
        }
    }
}
#endif
