public import Foundation
import MoyaTransport

extension LoopbackExchange {
    /// Reads the body to its end and returns it without chunked coding; the server's record of the request keeps it.
    ///
    /// Like all methods that read the body, it first sends 100 Continue if the client waits for it and no response was
    /// sent.
    ///
    /// - Throws: ``TestSupportError``, which is ``TestSupportError/closed`` if the server stops.
    public func body() async throws -> Data {
        var body = Data()
        while let bytes = try await readBody(atMost: 65_536) { body += bytes }
        remember(body)
        return body
    }

    /// Waits for the next bytes of the body; `nil` at its end.
    ///
    /// Unread bytes stay in the kernel's buffers; when these are full, the client has to wait.
    ///
    /// - Parameter count: The maximum number of bytes, at least 1; never more than 64 KiB.
    /// - Throws: ``TestSupportError``, which is ``TestSupportError/closed`` if the server stops.
    public func readBody(atMost count: Int) async throws -> Data? {
        try await sayContinueIfAwaited()
        let bytes = try await connection.nextBodyBytes(atMost: count)
        return bytes.isEmpty ? nil : Data(bytes)
    }

    /// Waits for exactly that many bytes of the body; returns fewer only at its end, and none if the number is not
    /// positive.
    ///
    /// - Throws: ``TestSupportError``, which is ``TestSupportError/closed`` if the server stops.
    public func readBody(exactly count: Int) async throws -> Data {
        var body = Data()
        while body.count < count, let bytes = try await readBody(atMost: count - body.count) { body += bytes }
        return body
    }

    /// Reads and discards the rest of the body; returns its number of bytes.
    ///
    /// - Throws: ``TestSupportError``, which is ``TestSupportError/closed`` if the server stops.
    @discardableResult
    public func discardBody() async throws -> Int {
        var count = 0
        while let bytes = try await readBody(atMost: 65_536) { count += bytes.count }
        return count
    }

    /// The trailer fields of a chunked body, available at its end.
    public var trailers: LoopbackFields { connection.trailers }

    private func sayContinueIfAwaited() async throws {
        if framing.withLock({ $0.takeContinue() }) { try await send(informational: 100) }
    }
}
