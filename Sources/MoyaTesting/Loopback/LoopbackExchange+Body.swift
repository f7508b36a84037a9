public import Foundation
import MoyaTransport

extension LoopbackExchange {
    /// Reads the body to its end and returns it, chunked coding removed; the server's record of the request keeps it.
    ///
    /// Like every reading of the body, it first sends 100 Continue when the client waits for that and no answer was sent.
    ///
    /// - Throws: ``LoopbackError``, `CancellationError` when the server stops.
    public func body() async throws -> Data {
        var body = Data()
        while let bytes = try await readBody(atMost: 65_536) { body += bytes }
        remember(body)
        return body
    }

    /// Waits for the next bytes of the body; `nil` at its end.
    ///
    /// Bytes that are not read stay in the kernel's buffers, and when these are full the client has to wait.
    ///
    /// - Parameter count: The most that it returns, at least 1; never more than 64 KiB.
    /// - Throws: ``LoopbackError``, `CancellationError` when the server stops.
    public func readBody(atMost count: Int) async throws -> Data? {
        try await sayContinueIfAwaited()
        let bytes = try await connection.nextBodyBytes(atMost: count)
        return bytes.isEmpty ? nil : Data(bytes)
    }

    /// Waits for that many bytes of the body, and returns fewer only at its end; none when that is not positive.
    ///
    /// - Throws: ``LoopbackError``, `CancellationError` when the server stops.
    public func readBody(exactly count: Int) async throws -> Data {
        var body = Data()
        while body.count < count, let bytes = try await readBody(atMost: count - body.count) { body += bytes }
        return body
    }

    /// Reads the rest of the body and keeps nothing of it; returns how many bytes that was.
    ///
    /// - Throws: ``LoopbackError``, `CancellationError` when the server stops.
    @discardableResult
    public func discardBody() async throws -> Int {
        var count = 0
        while let bytes = try await readBody(atMost: 65_536) { count += bytes.count }
        return count
    }

    /// The trailer fields of a chunked body that has been read to its end.
    public var trailers: LoopbackFields { connection.trailers }

    private func sayContinueIfAwaited() async throws {
        guard framing.withLock({ $0.isUntouched }) else { return }
        let isAwaited = hasSaidContinue.withLock { hasSaid in
            defer { hasSaid = true }
            return !hasSaid
        }
        if isAwaited { try await send(informational: 100) }
    }
}
