#if os(Linux)
import Foundation
import MoyaTesting
import MoyaTransport
import Testing
import TransportConformance

@testable import MoyaCurl

@Suite(.timeLimit(.minutes(3))) struct TransportMetricsTests {
    @Test func sizesTimesAndAddressAreMeasured() async throws {
        let server = try await LoopbackServer { exchange in
            try await exchange.discardBody()
            try await exchange.respond(body: "hello")
        }
        let answer = try await CurlTransport.separate().run(
            server.request("POST", body: .data(Data(count: 1_000)), collectsMetrics: true))
        let metrics = try #require(answer.ends.first?.metrics)
        #expect(metrics.bytesSent == 1_000)
        #expect(metrics.bytesReceived == 5)
        #expect(metrics.remoteAddress == "127.0.0.1")
        #expect(metrics.remotePort == server.port)
        #expect(metrics.networkProtocol == "http/1.1")
        #expect(metrics.nameLookupEnd <= metrics.connectEnd)
        #expect(metrics.connectEnd <= metrics.firstByte)
        #expect(metrics.firstByte <= metrics.total)
        #expect(metrics.connectEnd > 0)
        #expect(metrics.tlsEnd == 0)
    }

    @Test func distinguishesAReusedConnectionFromANewOne() async throws {
        let server = try await LoopbackServer { try await $0.respond() }
        let transport = CurlTransport.separate()
        let first = try await transport.run(server.request(collectsMetrics: true))
        let second = try await transport.run(server.request(collectsMetrics: true))
        #expect(first.ends.first?.metrics?.reusedConnection == false)
        #expect(second.ends.first?.metrics?.reusedConnection == true)
    }

    @Test func encodedBytesCountAsTheyCame() async throws {
        let body = try #require(ContentDecodingTests.encoded["gzip"])
        let server = try await LoopbackServer { try await $0.respond(200, ["Content-Encoding": "gzip"], body: body) }
        let answer = try await CurlTransport.separate().run(server.request(collectsMetrics: true))
        #expect(answer.ends.first?.metrics?.bytesReceived == Int64(body.count))
    }

    @Test func aFailedExchangeHasThemToo() async throws {
        let server = try await LoopbackServer { try await $0.stallUntilClosed() }
        let answer = try await CurlTransport.separate().run(
            server.request(timeouts: .init(total: 0.05), collectsMetrics: true))
        #expect(answer.kind == .timeout(.total))
        #expect((answer.ends.first?.metrics?.total ?? 0) > 0)
    }

    @Test func metricsAreOffByDefault() async throws {
        let server = try await LoopbackServer { try await $0.respond() }
        #expect(try await CurlTransport.separate().run(server.request()).ends.first?.metrics == nil)
    }
}
#endif
