import Foundation
import Moya
import MoyaSession
import Testing

/// Exchanges at once over connections that libcurl may share, each with bytes of its own.
@Suite(.needsServers, .serialized, .timeLimit(.minutes(5)))
struct SharedConnectionTests {
    let servers: Servers
    let mark = uniqueMark()

    init() throws { servers = try #require(Servers.running) }

    /// Writes a file whose bytes tell it from others, and returns its URL on the server.
    private func file(_ number: Int, count: Int) throws -> URL {
        let name = "\(mark)-\(number)"
        try Data(repeating: UInt8(truncatingIfNeeded: number), count: count)
            .write(to: servers.uploads.appendingPathComponent(name))
        return servers.nginxTLS.appendingPathComponent("uploads/\(name)")
    }

    private func received(_ name: String) throws -> Data {
        try Data(contentsOf: servers.uploads.appendingPathComponent(name))
    }

    /// Every second head is too long for a stream; nginx refuses it over HTTP/1.1, after the others have been sent.
    @Test func responsesOfBothVersionsAreNotSwapped() async throws {
        let session = Session.trusting(servers)
        let long = HTTPHeaders(["X-Long": String(repeating: "a", count: 70_000)])
        let files = try (0..<20).map { try file($0, count: 100_000 + 10_000 * $0) }
        for _ in 0..<10 {
            await withTaskGroup(of: Void.self) { group in
                for (number, url) in files.enumerated() {
                    group.addTask {
                        let isLong = number.isMultiple(of: 2)
                        let response = await session.request(url, headers: isLong ? long : nil).outcome()
                        if isLong { return #expect(response.response?.statusCode == 400) }
                        #expect(response.data == Data(repeating: UInt8(number), count: 100_000 + 10_000 * number))
                    }
                }
            }
        }
    }

    @Test func aPausedExchangeThatIsCancelledLeavesNoBytesToTheNext() async throws {
        let transport = CurlTransport(
            configuration: TransportConfiguration(certificateAuthorities: .file(servers.certificateAuthority), proxy: .none))
        let (large, small) = (try file(1, count: 1 << 20), try file(2, count: 5000))
        let others = try (3..<6).map { try file($0, count: 4 << 20) }
        for _ in 0..<10 {
            let loads = others.map { Collecting.start($0, over: transport) }
            let paused = Collecting.start(large, over: transport, waitsAtHead: true)
            await paused.sink.hasHead.wait()
            paused.exchange.cancel()
            _ = await paused.sink.end.wait()
            let next = Collecting.start(small, over: transport, waitsAtHead: true)
            await next.sink.hasHead.wait()
            next.exchange.resume()
            #expect(await next.sink.end.wait() == nil)
            #expect(next.sink.data == Data(repeating: 2, count: 5000))
            for (number, load) in loads.enumerated() {
                #expect(await load.sink.end.wait() == nil)
                #expect(load.sink.data == Data(repeating: UInt8(number + 3), count: 4 << 20))
            }
        }
    }

    @Test func bodiesOfUnknownLengthMixWithNoOtherExchange() async throws {
        let session = Session.trusting(servers)
        let download = try file(7, count: 2 << 20)
        let counts = [1, 5_000, 100_000, 1_000_000]
        for round in 0..<3 {
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<30 {
                    group.addTask {
                        let name = "\(mark)-\(round)-\(number)"
                        let content = Data(repeating: UInt8(number), count: counts[number % counts.count])
                        let body = UploadStream(
                            AsyncStream { continuation in
                                for start in stride(from: 0, to: content.count, by: 7_919) {
                                    continuation.yield(content[start..<min(start + 7_919, content.count)])
                                }
                                continuation.finish()
                            })
                        let url = servers.nginxTLS.appendingPathComponent("uploads/\(name)")
                        let response = await session.upload(body, to: url, method: .put).outcome()
                        #expect(response.response?.statusCode == 201)
                        #expect((try? received(name)) == content)
                    }
                    group.addTask {
                        let response = await session.request(download).outcome()
                        #expect(response.data == Data(repeating: 7, count: 2 << 20))
                    }
                }
            }
        }
    }
}

/// Collects the body of one exchange.
private final class Collecting: TransportSink, @unchecked Sendable {
    let hasHead = Signal<Void>()
    let end = Signal<TransportFailure?>()
    private(set) var data = Data()
    private let waitsAtHead: Bool

    private init(waitsAtHead: Bool) { self.waitsAtHead = waitsAtHead }

    static func start(
        _ url: URL, over transport: CurlTransport, waitsAtHead: Bool = false
    ) -> (sink: Collecting, exchange: any TransportExchange) {
        let sink = Collecting(waitsAtHead: waitsAtHead)
        return (sink, transport.start(HTTPRequest(method: "GET", url: url.absoluteString), delivering: sink))
    }

    func receive(_ event: TransportEvent) -> TransportDemand {
        switch event {
        case .head:
            hasHead.send(())
            return waitsAtHead ? .wait : .more
        case .chunk(let bytes): data.append(contentsOf: bytes)
        case .end(let end): self.end.send(end.failure)
        default: break
        }
        return .more
    }
}

/// A value that one side waits for.
private final class Signal<Value: Sendable>: Sendable {
    private let stream: AsyncStream<Value>
    private let continuation: AsyncStream<Value>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream() }

    func send(_ value: Value) { continuation.yield(value) }

    func wait() async -> Value {
        for await value in stream { return value }
        preconditionFailure("the value was dropped")
    }
}
