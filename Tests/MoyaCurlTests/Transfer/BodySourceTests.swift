#if os(Linux)
import Foundation
import MoyaTesting
import MoyaTransport
import Testing
import TransportConformance

@testable import MoyaCurl

@Suite(.timeLimit(.minutes(3))) struct BodySourceTests {
    @Test func aReaderWithoutBytesBlocksNoOtherExchange() async throws {
        let server = try await echo()
        let transport = CurlTransport.separate()
        let reader = LateReader([Data("late".utf8)])
        let upload = transport.begin(server.request("POST", body: .stream(reader, length: nil)))
        try await reader.waitUntilAsked(times: 1)
        let other = try await transport.run(server.request("GET"))
        #expect(other.head?.status == 200)
        #expect(upload.sink.heard.ends.isEmpty)
        upload.handle.cancel()
    }

    @Test func aReaderThatPausesIsReadToItsEnd() async throws {
        let server = try await echo()
        let reader = LateReader([Data("late ".utf8), Data("but whole".utf8)])
        let transport = CurlTransport.separate()
        let upload = transport.begin(server.request("POST", body: .stream(reader, length: nil)))
        for times in 1...3 {
            try await reader.waitUntilAsked(times: times)
            reader.letOneThrough()
        }
        let answer = try await upload.sink.waitForEnd()
        #expect(answer.failure == nil)
        #expect(server.requests.first?.body == Data("late but whole".utf8))
    }

    private func echo() async throws -> LoopbackServer {
        try await LoopbackServer { exchange in
            _ = try await exchange.body()
            try await exchange.respond()
        }
    }

    private func temporaryFile(_ data: Data) throws -> URL {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("body-\(UUID().uuidString)")
        try data.write(to: url)
        return url
    }

    @Test(arguments: [1, 16_383, 65_537, 5_000_001])
    func dataArrivesByteExact(_ size: Int) async throws {
        let server = try await echo()
        let data = unlikeBytes(size)
        let answer = try await CurlTransport.separate().run(server.request("POST", body: .data(data)))
        #expect(answer.failure == nil)
        #expect(server.requests.first?.body == data)
    }

    @Test func aSliceOfDataArrivesByteExact() async throws {
        let server = try await echo()
        let slice = unlikeBytes(100_000)[1_000..<90_000]
        _ = try await CurlTransport.separate().run(server.request("PUT", body: .data(slice)))
        #expect(server.requests.first?.body == Data(slice))
    }

    @Test func aFileArrivesByteExact() async throws {
        let server = try await echo()
        let data = unlikeBytes(3_000_000)
        let file = try temporaryFile(data)
        defer { try? FileManager.default.removeItem(at: file) }
        let answer = try await CurlTransport.separate().run(
            server.request("PUT", body: .file(file, length: Int64(data.count))))
        #expect(answer.failure == nil)
        #expect(server.requests.first?.body == data)
        #expect(server.requests.first?.fields["Content-Length"] == "3000000")
    }

    @Test func aStreamOfKnownLengthArrivesByteExactWithItsLength() async throws {
        let server = try await echo()
        let data = unlikeBytes(300_000)
        let reader = PieceReader(data, piece: 777)
        let answer = try await CurlTransport.separate().run(
            server.request("POST", body: .stream(reader, length: Int64(data.count))))
        #expect(answer.failure == nil)
        #expect(server.requests.first?.body == data)
        #expect(server.requests.first?.fields["Content-Length"] == "300000")
        #expect(server.requests.first?.fields["Transfer-Encoding"] == nil)
    }

    @Test func aStreamOfUnknownLengthArrivesByteExactInChunks() async throws {
        let server = try await echo()
        let data = unlikeBytes(300_000)
        let reader = PieceReader(data, piece: 777)
        let answer = try await CurlTransport.separate().run(
            server.request("POST", body: .stream(reader, length: nil)))
        #expect(answer.failure == nil)
        #expect(server.requests.first?.body == data)
        #expect(server.requests.first?.fields["Transfer-Encoding"] == "chunked")
        #expect(server.requests.first?.fields["Content-Length"] == nil)
    }

    @Test func anEmptyStreamOfUnknownLengthArrivesEmpty() async throws {
        let server = try await echo()
        let reader = PieceReader(Data(), piece: 777)
        let answer = try await CurlTransport.separate().run(
            server.request("POST", body: .stream(reader, length: nil)))
        #expect(answer.failure == nil)
        #expect(server.requests.first?.body == Data())
    }

    @Test func aReaderThatThrowsEndsTheExchange() async throws {
        let server = try await echo()
        let reader = PieceReader(unlikeBytes(100_000), piece: 777, breaksAt: 50_000)
        let answer = try await CurlTransport.separate().run(
            server.request("POST", body: .stream(reader, length: 100_000)))
        #expect(answer.kind == .requestBody)
        #expect(answer.ends.count == 1)
    }

    /// The server receives less than stated, and so treats nothing as complete.
    @Test(arguments: [2, 9, 10]) func aReaderThatHasMoreThanWasStatedEndsTheExchange(_ stated: Int64) async throws {
        let server = try await echo()
        let reader = PieceReader(unlikeBytes(11), piece: 5)
        let answer = try await CurlTransport.separate().run(
            server.request("POST", body: .stream(reader, length: stated)))
        #expect(answer.kind == .requestBody)
        #expect(
            answer.failure?.message == "The body stream has more than the \(stated) bytes that were stated for it.")
        #expect(server.requests.allSatisfy { $0.body == nil })
    }

    @Test func aReaderThatEndsTooEarlyEndsTheExchange() async throws {
        let server = try await echo()
        let reader = PieceReader(unlikeBytes(10), piece: 5)
        let answer = try await CurlTransport.separate().run(
            server.request("POST", body: .stream(reader, length: 100)))
        #expect(answer.kind == .requestBody)
    }

    @Test(arguments: [-1, -5, .min] as [Int64]) func aNegativeLengthEndsTheExchangeBeforeAnythingIsSent(
        _ length: Int64
    ) async throws {
        let server = try await echo()
        let file = try temporaryFile(Data("file".utf8))
        defer { try? FileManager.default.removeItem(at: file) }
        let bodies: [TransportBody] = [
            .file(file, length: length), .stream(PieceReader(unlikeBytes(10), piece: 5), length: length),
        ]
        for body in bodies {
            let answer = try await CurlTransport.separate().run(server.request("PUT", body: body))
            #expect(answer.kind == .requestBody)
            #expect(answer.failure?.message.hasPrefix("The stated length of the body is \(length).") == true)
        }
        #expect(server.connectionCount == 0)
    }

    @Test func aFileThatIsNotThereEndsTheExchangeBeforeAnythingIsSent() async throws {
        let server = try await echo()
        let file = URL(fileURLWithPath: "/nonexistent/\(UUID().uuidString)")
        let answer = try await CurlTransport.separate().run(server.request("PUT", body: .file(file, length: 5)))
        #expect(answer.kind == .requestBody)
        #expect(answer.failure?.message.contains("/nonexistent/") == true)
        #expect(server.connectionCount == 0)
    }

    @Test func aDirectoryIsNotABody() async throws {
        let server = try await echo()
        let answer = try await CurlTransport.separate().run(
            server.request("PUT", body: .file(FileManager.default.temporaryDirectory, length: 5)))
        #expect(answer.kind == .requestBody)
    }

    /// In a process that ends by itself should the pipe be waited for.
    @Test func aPipeEndsTheExchangeWithoutWaiting() async {
        await #expect(processExitsWith: .success) {
            alarm(20)
            let file = FileManager.default.temporaryDirectory.appendingPathComponent("pipe-\(UUID().uuidString)")
            #expect(mkfifo(file.path, 0o600) == 0)
            defer { try? FileManager.default.removeItem(at: file) }
            let server = try await LoopbackServer { try await $0.respond() }
            let answer = try await CurlTransport.separate().run(server.request("PUT", body: .file(file, length: 5)))
            #expect(answer.kind == .requestBody)
            #expect(answer.failure?.message.contains("\(file.path) is a pipe") == true)
            #expect(server.connectionCount == 0)
        }
    }

    @Test func aFileThatShrinksWhileItIsSentIsNamed() async throws {
        let gate = Gate()
        let server = try await LoopbackServer(.init(socketBuffer: 16_384)) { exchange in
            try await gate.wait()
            _ = try await exchange.body()
            try await exchange.respond()
        }
        let file = try temporaryFile(unlikeBytes(16 << 20))
        defer { try? FileManager.default.removeItem(at: file) }
        let transport = CurlTransport.separate()
        let running = transport.begin(server.request("PUT", body: .file(file, length: 16 << 20)))
        try await gate.waitForArrivals(1)
        truncate(file.path, 100)
        gate.open()
        let answer = try await running.sink.waitForEnd()
        #expect(answer.kind == .requestBody)
        #expect(answer.failure?.message.hasPrefix(file.path) == true)
    }

    @Test func aFileShorterThanStatedEndsTheExchange() async throws {
        let server = try await echo()
        let file = try temporaryFile(Data("short".utf8))
        defer { try? FileManager.default.removeItem(at: file) }
        let answer = try await CurlTransport.separate().run(server.request("PUT", body: .file(file, length: 500)))
        #expect(answer.kind == .requestBody)
        #expect(answer.failure?.message.hasPrefix("\(file.path) has 5 bytes") == true)
    }

    @Test func sentBytesGrowUpToTheWholeBody() async throws {
        let server = try await echo()
        let size = 2_000_000
        let answer = try await CurlTransport.separate().run(
            server.request("POST", body: .data(unlikeBytes(size)), reportsSentBytes: true))
        #expect(answer.sent.count > 1)
        #expect(zip(answer.sent, answer.sent.dropFirst()).allSatisfy { $0 < $1 })
        #expect(answer.sent.last == Int64(size))
        #expect(answer.expected.allSatisfy { $0 == Int64(size) })
    }

    @Test func sentBytesOfAnUnknownLengthHaveNoExpectation() async throws {
        let server = try await echo()
        let reader = PieceReader(unlikeBytes(200_000), piece: 9_999)
        let answer = try await CurlTransport.separate().run(
            server.request("POST", body: .stream(reader, length: nil), reportsSentBytes: true))
        #expect(answer.sent.last == 200_000)
        #expect(zip(answer.sent, answer.sent.dropFirst()).allSatisfy { $0 <= $1 })
        #expect(answer.expected.allSatisfy { $0 == nil })
    }

    @Test func theWholeBodyIsReportedAsSentBeforeTheResponse() async throws {
        let gate = Gate()
        let server = try await LoopbackServer { exchange in
            _ = try await exchange.body()
            try await gate.wait()
            try await exchange.respond()
        }
        let transport = CurlTransport.separate()
        let running = transport.begin(
            server.request("POST", body: .data(unlikeBytes(100_000)), reportsSentBytes: true))
        try await gate.waitForArrivals(1)
        defer { gate.open() }
        try await running.sink.waitUntil(within: .seconds(5)) { $0.sent.last == 100_000 }
        #expect(running.sink.heard.heads.isEmpty)
    }

    @Test func sentBytesAreNotReportedByDefault() async throws {
        let server = try await echo()
        let answer = try await CurlTransport.separate().run(server.request("POST", body: .data(Data(count: 100_000))))
        #expect(answer.sent.isEmpty)
    }

    @Test func anUploadToAServerThatDoesNotReadWaitsAndLosesNothing() async throws {
        let gate = Gate()
        let server = try await LoopbackServer(.init(socketBuffer: 16_384)) { exchange in
            try await gate.wait()
            _ = try await exchange.body()
            try await exchange.respond()
        }
        let data = unlikeBytes(16 << 20)
        let transport = CurlTransport.separate()
        let running = transport.begin(server.request("POST", body: .data(data), reportsSentBytes: true))
        try await gate.waitForArrivals(1)
        #expect((running.sink.heard.sent.last ?? 0) < Int64(data.count))
        gate.open()
        #expect(try await running.sink.waitForEnd().failure == nil)
        #expect(server.requests.first?.body == data)
    }

    /// A kept connection may be closed by the server just as a request is written to it; the body has to be read again.
    @Test func anUploadIsSentAgainWhenItsKeptConnectionWasClosed() async throws {
        let server = try await LoopbackServer { exchange in
            if exchange.request.connectionNumber == 1, exchange.request.path == "/2" { return exchange.reset() }
            _ = try await exchange.body()
            try await exchange.respond()
        }
        let transport = CurlTransport.separate()
        _ = try await transport.run(server.request("GET", "/1"))
        let data = unlikeBytes(1_000)
        let reader = PieceReader(data, piece: 77)
        let answer = try await transport.run(server.request("PUT", "/2", body: .stream(reader, length: 1_000)))
        #expect(answer.failure == nil)
        #expect(server.requests.last?.body == data)
    }

    @Test func anUploadWhoseBodyIsReadOnceIsAResetWhenItsKeptConnectionWasClosed() async throws {
        let server = try await LoopbackServer { exchange in
            if exchange.request.path == "/2" {
                _ = try await exchange.readBody(exactly: 1)
                return exchange.reset()
            }
            try await exchange.respond()
        }
        let transport = CurlTransport.separate()
        _ = try await transport.run(server.request("GET", "/1"))
        let reader = LateReader([Data("once".utf8)])
        let upload = transport.begin(server.request("PUT", "/2", body: .stream(reader, length: nil)))
        try await reader.waitUntilAsked(times: 1)
        reader.letOneThrough()
        let answer = try await upload.sink.waitForEnd()
        #expect(answer.kind == .reset, "\(answer.failure as Any)")
        #expect(answer.failure?.cause == nil)
    }
}
#endif
