import Foundation

/// A loopback port on which connections are neither established nor refused, during the lifetime of this value, as with
/// a host that is switched off.
///
/// It listens with a full queue, so the kernel drops further connections.
public final class UnansweredPort: Sendable {
    /// The port.
    public let port: Int
    private let descriptors: [SocketDescriptor]

    /// Binds a port and fills its queue, which takes a tenth of a second.
    ///
    /// - Throws: ``TestSupportError/system(call:code:)``
    public convenience init(_ family: LoopbackServer.AddressFamily = .ipv4) throws {
        try self.init(family, port: 0)
    }

    /// Binds a given port, which may be in use in the other family.
    ///
    /// - Throws: ``TestSupportError/system(call:code:)``, with `EISCONN` if the queue takes 64 connections.
    package init(_ family: LoopbackServer.AddressFamily, port chosen: Int) throws {
        let listener = try SocketDescriptor.stream(family)
        var opened = [listener]
        do {
            port = try listener.bindToLoopback(family, port: chosen)
            try listener.startListening(queue: 1)
            // The kernel decides how many connections a queue of one holds: continue until one stays unconnected.
            var isFull = false
            for _ in 0..<64 where !isFull {
                let filler = try SocketDescriptor.stream(family)
                opened.append(filler)
                try filler.beginConnecting(family, port: port)
                var wait = pollfd(fd: filler.number, events: Int16(POLLOUT), revents: 0)
                isFull = poll(&wait, 1, 100) == 0
            }
            guard isFull else { throw TestSupportError.system(call: "connect", code: EISCONN) }
            descriptors = opened
        } catch {
            for descriptor in opened { descriptor.shut() }
            throw error
        }
    }

    deinit {
        for descriptor in descriptors { descriptor.shut() }
    }
}
