import Foundation

/// A socket's descriptor and its non-blocking calls; the owner closes it.
struct SocketDescriptor {
    let number: Int32

    /// The result of a non-blocking read or write.
    enum Outcome {
        /// The number of transferred bytes; when reading, 0 means that the peer sends no more.
        case moved(Int)
        /// The socket is not ready.
        case wouldWait
        /// The call failed with this `errno`.
        case failed(Int32)
    }

    func receive(into buffer: UnsafeMutableRawBufferPointer) -> Outcome {
        outcome { recv(number, buffer.baseAddress, buffer.count, 0) }
    }

    func transmit(_ buffer: UnsafeRawBufferPointer) -> Outcome {
        outcome { send(number, buffer.baseAddress, buffer.count, Self.noSignal) }
    }

    /// Ends sending (FIN); the other direction stays open.
    func endSending() { _ = shutdown(number, Int32(SHUT_WR)) }

    /// Makes the later close a reset (RST): unsent bytes are dropped.
    func resetWhenClosed() { set(SOL_SOCKET, SO_LINGER, linger(l_onoff: 1, l_linger: 0)) }

    func shut() { _ = close(number) }

    /// Makes every write immediate, whatever its size, and without SIGPIPE.
    func prepareForTraffic() {
        set(Int32(IPPROTO_TCP), TCP_NODELAY, Int32(1))
        #if canImport(Darwin)
        set(SOL_SOCKET, SO_NOSIGPIPE, Int32(1))
        #endif
    }

    func set<Value: BitwiseCopyable>(_ level: Int32, _ option: Int32, _ value: Value) {
        var value = value
        _ = setsockopt(number, level, option, &value, socklen_t(MemoryLayout<Value>.size))
    }

    private func outcome(_ call: () -> Int) -> Outcome {
        while true {
            let moved = call()
            if moved >= 0 { return .moved(moved) }
            switch errno {
            case EINTR: continue
            case EAGAIN, EWOULDBLOCK: return .wouldWait
            default: return .failed(errno)
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
