import Foundation

/// A socket's descriptor and its non-blocking calls; the owner closes it.
struct SocketDescriptor {
    let number: Int32

    /// Receives bytes and returns their number, 0 if the peer sends no more; `nil` if there are none yet.
    ///
    /// - Throws: ``TestSupportError/reset``, ``TestSupportError/system(call:code:)``
    func receive(into buffer: UnsafeMutableRawBufferPointer) throws -> Int? {
        try attempt("recv") { recv(number, buffer.baseAddress, buffer.count, 0) }
    }

    /// Sends bytes and returns their number; `nil` if the peer has to read first.
    ///
    /// - Throws: ``TestSupportError/reset``, ``TestSupportError/system(call:code:)``
    func transmit(_ buffer: UnsafeRawBufferPointer) throws -> Int? {
        try attempt("send") { send(number, buffer.baseAddress, buffer.count, Self.noSignal) }
    }

    /// Ends sending (FIN); the other direction stays open.
    func endSending() { _ = shutdown(number, Int32(SHUT_WR)) }

    /// Makes the later close a reset (RST): unsent bytes are dropped.
    func resetWhenClosed() { set(SOL_SOCKET, SO_LINGER, linger(l_onoff: 1, l_linger: 0)) }

    func shut() { _ = close(number) }

    /// Makes every write immediate, whatever its size.
    func prepareForTraffic() { set(Int32(IPPROTO_TCP), TCP_NODELAY, Int32(1)) }

    /// Makes every write without SIGPIPE, also those of connections that the socket accepts: their own setting fails
    /// once the client has gone.
    func preventSignals() {
        #if canImport(Darwin)
        set(SOL_SOCKET, SO_NOSIGPIPE, Int32(1))
        #endif
    }

    func set<Value: BitwiseCopyable>(_ level: Int32, _ option: Int32, _ value: Value) {
        var value = value
        _ = setsockopt(number, level, option, &value, socklen_t(MemoryLayout<Value>.size))
    }

    private func attempt(_ name: String, _ call: () -> Int) throws -> Int? {
        while true {
            let moved = call()
            if moved >= 0 { return moved }
            switch errno {
            case EINTR: continue
            case EAGAIN, EWOULDBLOCK: return nil
            default: throw TestSupportError.fromPeer(name, errno)
            }
        }
    }

    private static var noSignal: Int32 {
        #if canImport(Darwin)
        0
        #else
        Int32(MSG_NOSIGNAL)
        #endif
    }
}
