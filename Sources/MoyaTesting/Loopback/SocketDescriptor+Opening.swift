import Foundation

extension SocketDescriptor {
    /// A non-blocking TCP socket that child processes do not inherit.
    ///
    /// - Throws: ``TestSupportError/system(call:code:)``
    static func stream(_ family: LoopbackServer.AddressFamily) throws -> SocketDescriptor {
        try stream(domain: family == .ipv4 ? AF_INET : AF_INET6)
    }

    /// A non-blocking socket of a domain, such as `AF_UNIX`, that child processes do not inherit.
    ///
    /// - Throws: ``TestSupportError/system(call:code:)``
    static func stream(domain: Int32) throws -> SocketDescriptor {
        #if canImport(Glibc)
        let type = Int32(SOCK_STREAM.rawValue)
        #else
        let type = Int32(SOCK_STREAM)
        #endif
        let number = socket(domain, type, 0)
        guard number >= 0 else { throw TestSupportError.system(call: "socket", code: errno) }
        let descriptor = SocketDescriptor(number: number)
        descriptor.keepPrivateAndUnblocking()
        descriptor.preventSignals()
        return descriptor
    }

    /// Accepts the next connection in the queue; `nil` without one.
    ///
    /// - Throws: ``TestSupportError/system(call:code:)``
    func nextConnection() throws -> SocketDescriptor? {
        while true {
            let number = accept(number, nil, nil)
            if number >= 0 {
                let descriptor = SocketDescriptor(number: number)
                descriptor.keepPrivateAndUnblocking()
                descriptor.prepareForTraffic()
                return descriptor
            }
            switch errno {
            // A client that left while queued must not stop the server.
            case EINTR, ECONNABORTED: continue
            case EAGAIN, EWOULDBLOCK: return nil
            default: throw TestSupportError.system(call: "accept", code: errno)
            }
        }
    }

    /// Binds the socket to a loopback address with a port, chosen by the kernel for 0, and returns the port.
    ///
    /// - Throws: ``TestSupportError/system(call:code:)``
    func bindToLoopback(_ family: LoopbackServer.AddressFamily, port: Int = 0) throws -> Int {
        try withLoopbackAddress(family, port: UInt16(truncatingIfNeeded: port)) { address, length in
            guard bind(number, address, length) == 0 else { throw TestSupportError.system(call: "bind", code: errno) }
        }
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return try withUnsafeMutableBytes(of: &storage) { bytes in
            guard let address = bytes.assumingMemoryBound(to: sockaddr.self).baseAddress,
                getsockname(number, address, &length) == 0
            else { throw TestSupportError.system(call: "getsockname", code: errno) }
            // The port is at the same offset in both families: after the family, in network byte order.
            return Int(UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: 2, as: UInt16.self)))
        }
    }

    /// Binds the socket to an unused path.
    ///
    /// - Throws: ``TestSupportError/system(call:code:)``
    func bindToPath(_ path: String) throws {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        // A path without a terminating zero would be read beyond its end.
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path), !bytes.contains(0) else {
            throw TestSupportError.system(call: "bind", code: ENAMETOOLONG)
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let result = Self.withPointer(to: address) { bind(number, $0, $1) }
        guard result == 0 else { throw TestSupportError.system(call: "bind", code: errno) }
    }

    func startListening(queue: Int32 = Int32(SOMAXCONN)) throws {
        guard listen(number, queue) == 0 else { throw TestSupportError.system(call: "listen", code: errno) }
    }

    /// Starts a connection to a loopback port; its result is known when the socket becomes writable.
    ///
    /// - Throws: ``TestSupportError/system(call:code:)``
    func beginConnecting(_ family: LoopbackServer.AddressFamily, port: Int) throws {
        try withLoopbackAddress(family, port: UInt16(truncatingIfNeeded: port)) { address, length in
            guard connect(number, address, length) == 0 || errno == EINPROGRESS else {
                throw TestSupportError.system(call: "connect", code: errno)
            }
        }
    }

    private func withLoopbackAddress(
        _ family: LoopbackServer.AddressFamily, port: UInt16,
        _ body: (UnsafePointer<sockaddr>, socklen_t) throws -> Void
    ) throws {
        switch family {
        case .ipv4:
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
            try Self.withPointer(to: address, body)
        case .ipv6:
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port.bigEndian
            withUnsafeMutableBytes(of: &address.sin6_addr) { $0[15] = 1 }
            try Self.withPointer(to: address, body)
        }
    }

    /// Passes a socket address of any family in the form of the C library.
    private static func withPointer<Address, Result>(
        to address: Address, _ body: (UnsafePointer<sockaddr>, socklen_t) throws -> Result
    ) rethrows -> Result {
        try withUnsafePointer(to: address) { pointer in
            try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                try body($0, socklen_t(MemoryLayout<Address>.size))
            }
        }
    }

    func keepPrivateAndUnblocking() {
        _ = fcntl(number, F_SETFD, FD_CLOEXEC)
        _ = fcntl(number, F_SETFL, O_NONBLOCK)
    }
}
