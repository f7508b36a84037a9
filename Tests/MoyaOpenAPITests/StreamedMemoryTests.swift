#if OpenAPI && os(Linux)
import Foundation
import HTTPTypes
import MoyaOpenAPI
import MoyaSession
import MoyaTesting
import MoyaTransport
import OpenAPIRuntime
import Testing

/// A gibibyte each way, with the server in the same process.
///
/// It needs the process for itself, and some ten seconds: `STREAM_GIBIBYTE=1 Scripts/test-adapters` runs it after the
/// others.
@Suite(
    .serialized,
    .enabled(
        if: ProcessInfo.processInfo.environment["STREAM_GIBIBYTE"] != nil,
        "STREAM_GIBIBYTE=1 Scripts/test-adapters runs it, in a process for itself"))
struct StreamedMemoryTests {
    private static let piece = ArraySlice<UInt8>(repeating: 7, count: 64 * 1024)

    /// The resident memory of the process in bytes.
    private static func residentBytes() throws -> Int {
        let pages = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
        return (pages.dropFirst().first.flatMap { Int($0) } ?? 0) * 4096
    }

    /// Sends so many pieces each way, and returns the most memory that was resident meanwhile.
    private func stream(_ count: Int, by client: StoreClient) async throws -> Int {
        let most = Lock(try Self.residentBytes())
        let produced = Lock(0)
        let sample = { @Sendable in
            guard let now = try? Self.residentBytes() else { return }
            most.withLock { $0 = max($0, now) }
        }
        let pieces = AsyncStream<ArraySlice<UInt8>> {
            let number = produced.withLock { number in
                number += 1
                return number
            }
            if number % 64 == 0 { sample() }
            return number <= count ? Self.piece : nil
        }
        let output = try await client.send(
            .post, "/\(count)", body: HTTPBody(pieces, length: .unknown, iterationBehavior: .single))
        #expect(output.response.headerFields[try #require(.init("X-Received"))] == "\(count * Self.piece.count)")
        var received = 0
        var chunks = 0
        for try await chunk in try #require(output.body) {
            received += chunk.count
            chunks += 1
            if chunks % 64 == 0 { sample() }
        }
        #expect(received == count * Self.piece.count)
        return most.withLock { $0 }
    }

    @Test func aGibibyteInEachDirectionTakesLittleMemory() async throws {
        let server = try await LoopbackServer { exchange in
            let received = try await exchange.discardBody()
            try await exchange.send(head: 200, ["X-Received": "\(received)", "Transfer-Encoding": "chunked"])
            for _ in 0..<(received / Self.piece.count) { try await exchange.sendChunk(Self.piece) }
            try await exchange.endChunks()
        }
        let client = StoreClient(serverURL: server.url, transport: SessionClientTransport(session: Session()))
        // The first call makes threads, and buffers of the allocator.
        let before = try await stream(64, by: client)
        let most = try await stream(16 * 1024, by: client)
        print("A gibibyte each way took \((most - before) / 1024) KiB more.")
        #expect(most - before < 16 * 1024 * 1024)
    }
}
#endif
