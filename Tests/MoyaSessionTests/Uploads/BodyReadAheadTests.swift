import Foundation
import MoyaTesting
import MoyaTransport
import Testing

@testable import MoyaSession

/// Returns pieces as a test scripts, and blocks before each until it is released.
private final class BlockedBody: BlockingBody, @unchecked Sendable {
    struct Broken: Error {}

    private let permits = DispatchSemaphore(value: 0)
    private var pieces: [String]
    private let breaks: Bool

    init(_ pieces: [String], breaks: Bool = false) {
        self.pieces = pieces
        self.breaks = breaks
    }

    func close() {}

    func letOn(_ times: Int) { for _ in 0..<times { permits.signal() } }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        permits.wait()
        guard !pieces.isEmpty else {
            if breaks { throw Broken() }
            return 0
        }
        return Data(pieces.removeFirst().utf8).copyBytes(to: buffer)
    }
}

@Suite struct BodyReadAheadTests {
    @Test(arguments: [1, 3, 100]) func everyByteIsReadOnceAndInOrder(size: Int) async throws {
        let body = BlockedBody(["one", "two", "three"])
        body.letOn(4)
        #expect(try await BodyReadAhead(body).readToEnd(by: size) == Data("onetwothree".utf8))
    }

    @Test func readingNeverWaitsForTheBody() throws {
        let body = BlockedBody(["one"])
        let reader = BodyReadAhead(body)
        var buffer = [UInt8](repeating: 0, count: 8)
        #expect(try buffer.withUnsafeMutableBytes { try reader.read(into: $0) {} } == nil)
        body.letOn(2)
    }

    @Test func bytesReadBeforeAnErrorComeFirst() async throws {
        let body = BlockedBody(["one"], breaks: true)
        body.letOn(2)
        let reader = BodyReadAhead(body)
        await #expect(throws: BlockedBody.Broken.self) { try await reader.readToEnd() }
    }

    @Test func aBodyThatWasReadCannotRewind() async throws {
        let body = BlockedBody([])
        body.letOn(1)
        let reader = BodyReadAhead(body)
        #expect(reader.rewind())
        _ = try await reader.readToEnd()
        #expect(!reader.rewind())
    }

    @Test func notifiesTheLastOfSeveralWaiters() async throws {
        let body = BlockedBody(["one"])
        let reader = BodyReadAhead(body)
        var buffer = [UInt8](repeating: 0, count: 8)
        let isFirstTold = Lock(false)
        _ = try buffer.withUnsafeMutableBytes {
            try reader.read(into: $0) { isFirstTold.set(true) }
        }
        await withCheckedContinuation { continuation in
            _ = try? buffer.withUnsafeMutableBytes { try reader.read(into: $0) { continuation.resume() } }
            body.letOn(2)
        }
        let wasFirstTold = isFirstTold.value
        #expect(!wasFirstTold)
    }
}
