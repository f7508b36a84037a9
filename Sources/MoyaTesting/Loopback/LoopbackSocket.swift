import Foundation
import MoyaTransport

/// A socket whose waits suspend the task, and that may be closed from any thread at any time.
final class LoopbackSocket: Sendable {
    // `nil` once closed. Calls that do not wait run under the lock, so that none uses a reused descriptor.
    private let descriptor: Lock<SocketDescriptor?>
    private let sendingHasEnded = Lock(false)
    private let loop: SocketLoop

    init(_ descriptor: SocketDescriptor, on loop: SocketLoop) {
        self.descriptor = Lock(descriptor)
        self.loop = loop
    }

    deinit { close() }

    var isClosed: Bool { descriptor.withLock { $0 == nil } }

    /// `true` if this side has sent FIN or closed.
    var isSendingEnded: Bool { isClosed || sendingHasEnded.withLock { $0 } }

    /// Waits for bytes and returns them; empty if the peer sends no more.
    ///
    /// - Parameter count: The maximum number of bytes, at least 1; never more than 64 KiB.
    /// - Throws: ``TestSupportError/reset`` if the peer broke the connection, ``TestSupportError/closed`` if this side
    ///   closed it, `CancellationError`.
    func receive(atMost count: Int) async throws -> [UInt8] {
        let count = min(max(count, 1), 65_536)
        while true {
            var moved: Int?
            let bytes = try [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
                moved = try withDescriptor { try $0.receive(into: UnsafeMutableRawBufferPointer(buffer)) }
                filled = moved ?? 0
            }
            if moved != nil { return bytes }
            try await wait(for: POLLIN)
        }
    }

    /// Sends all bytes, waiting for the peer if necessary.
    ///
    /// - Throws: The errors of ``receive(atMost:)``.
    func send(_ bytes: [UInt8]) async throws {
        var sent = 0
        while sent < bytes.count {
            let moved = try sendWhatFits(bytes[sent...])
            sent += moved
            if moved == 0 { try await wait(for: POLLOUT) }
        }
    }

    /// Sends the bytes that can be sent at once and returns their number.
    ///
    /// - Throws: The errors of ``receive(atMost:)``, except `CancellationError`.
    func sendWhatFits(_ bytes: ArraySlice<UInt8>) throws -> Int {
        guard !isSendingEnded else { throw TestSupportError.closed }
        return try withDescriptor { descriptor in try bytes.withUnsafeBytes(descriptor.transmit) } ?? 0
    }

    /// Accepts the next connection of a listening socket.
    ///
    /// - Throws: ``TestSupportError/closed``, ``TestSupportError/system(call:code:)``, `CancellationError`.
    func accept() async throws -> LoopbackSocket {
        while true {
            if let next = try withDescriptor({ try $0.nextConnection() }) { return LoopbackSocket(next, on: loop) }
            try await wait(for: POLLIN)
        }
    }

    /// Discards received but unread bytes, so that the close sends FIN: with unread bytes it sends RST.
    func discardArrivedBytes() {
        var scratch = [UInt8](repeating: 0, count: 4096)
        while let moved = try? withDescriptor({ descriptor in
            try scratch.withUnsafeMutableBytes(descriptor.receive)
        }), moved > 0 {}
    }

    /// Sends FIN and continues to read.
    func endSending() {
        sendingHasEnded.withLock { $0 = true }
        descriptor.withLock { $0?.endSending() }
    }

    /// Closes with FIN, or with RST on request, and returns `true`; a second call has no effect.
    @discardableResult
    func close(resetting: Bool = false) -> Bool {
        descriptor.withLock { descriptor in
            guard let open = descriptor else { return false }
            descriptor = nil
            if resetting { open.resetWhenClosed() }
            loop.abandonAll(on: open.number, because: TestSupportError.closed)
            open.shut()
            return true
        }
    }

    private func withDescriptor<Result>(_ body: (SocketDescriptor) throws -> Result) throws -> Result {
        try descriptor.withLock { descriptor in
            guard let descriptor else { throw TestSupportError.closed }
            return try body(descriptor)
        }
    }

    private func wait(for event: Int32) async throws {
        let token = Lock<UInt64?>(nil)
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                // Registered under the socket's lock: a close either precedes it and is seen, or follows it and
                // abandons the wait.
                descriptor.withLock { descriptor in
                    guard let descriptor else { return continuation.resume(throwing: TestSupportError.closed) }
                    let registered = loop.resume(continuation, when: Int16(event), on: descriptor.number)
                    token.withLock { $0 = registered }
                }
                if Task.isCancelled { abandon(token) }
            }
        } onCancel: {
            abandon(token)
        }
    }

    private func abandon(_ token: borrowing Lock<UInt64?>) {
        if let token = token.withLock({ $0 }) { loop.abandon(token, because: CancellationError()) }
    }
}
