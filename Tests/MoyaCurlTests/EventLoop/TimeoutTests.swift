#if os(Linux)
import Foundation
import MoyaTesting
import MoyaTransport
import Testing
import TransportConformance

@testable import MoyaCurl

@Suite(.timeLimit(.minutes(3))) struct TimeoutTests {
    /// Runs an exchange into a limit and returns whether it ended soon after; it must never end before.
    private func endsInTime(
        _ request: HTTPRequest, as timeout: TransportFailure.Timeout, after bound: Duration
    ) async throws -> Bool {
        try await holdsInOneOfTenTries {
            let transport = CurlTransport.separate()
            let start = ContinuousClock.now
            let answer = try await transport.run(request)
            let time = ContinuousClock.now - start
            #expect(time >= bound - .milliseconds(2))
            // Far less than the second to which a bound in whole seconds would be rounded.
            return answer.kind == .timeout(timeout) && time < bound + .milliseconds(400)
        }
    }

    @Test func aConnectionThatIsNotEstablishedExceedsTheConnectTimeout() async throws {
        let silent = try UnansweredPort()
        let request = HTTPRequest(
            method: "GET", url: "http://127.0.0.1:\(silent.port)/", timeouts: .init(connect: 0.137))
        #expect(try await endsInTime(request, as: .connect, after: .milliseconds(137)))
        withExtendedLifetime(silent) {}
    }

    @Test func aServerThatNeverAnswersRunsIntoTheIdleBound() async throws {
        let server = try await LoopbackServer { try await $0.stallUntilClosed() }
        let request = server.request(timeouts: .init(idle: 0.137))
        #expect(try await endsInTime(request, as: .idle, after: .milliseconds(137)))
    }

    @Test func aServerThatNeverAnswersRunsIntoTheTotalBound() async throws {
        let server = try await LoopbackServer { try await $0.stallUntilClosed() }
        let request = server.request(timeouts: .init(total: 0.037))
        #expect(try await endsInTime(request, as: .total, after: .milliseconds(37)))
    }

    @Test func aTrickleRunsIntoTheTotalBound() async throws {
        let server = try await LoopbackServer { exchange in
            try await exchange.send(head: 200, ["Content-Length": "1000000"])
            while true {
                // This test is about time itself.
                try await Task.sleep(for: .milliseconds(10))
                try await exchange.send("x")
            }
        }
        let request = server.request(timeouts: .init(idle: 5, total: 0.237))
        #expect(try await endsInTime(request, as: .total, after: .milliseconds(237)))
    }

    @Test func silenceWithinTheBodyRunsIntoTheIdleBound() async throws {
        let server = try await LoopbackServer { exchange in
            try await exchange.send(head: 200, ["Content-Length": "100"])
            try await exchange.send("half")
            try await exchange.stallUntilClosed()
        }
        let answer = try await CurlTransport.separate().run(server.request(timeouts: .init(idle: 0.5)))
        #expect(answer.kind == .timeout(.idle))
        #expect(answer.text == "half")
    }

    /// They may have died together, as when the network changed.
    @Test func oneSilentConnectionOfSeveralCostsOneCall() async throws {
        let bothArrived = Gate()
        let server = try await LoopbackServer { exchange in
            if exchange.request.target == "/first" {
                try await bothArrived.wait()
            } else if exchange.request.connectionNumber <= 2 {
                try await exchange.stallUntilClosed()
            }
            try await exchange.respond(body: "ok")
        }
        let transport = CurlTransport.separate()
        let first = (0..<2).map { _ in transport.begin(server.request("GET", "/first")) }
        try await bothArrived.waitForArrivals(2)
        bothArrived.open()
        for running in first { #expect(try await running.sink.waitForEnd().text == "ok") }
        let silent = try await transport.run(server.request("GET", "/second", timeouts: .init(idle: 0.137)))
        #expect(silent.kind == .timeout(.idle))
        let next = try await transport.run(server.request("GET", "/third", timeouts: .init(idle: 5)))
        #expect(next.text == "ok")
    }

    @Test func silenceWithinTheUploadRunsIntoTheIdleBound() async throws {
        let gate = Gate()
        let server = try await LoopbackServer(.init(socketBuffer: 16_384)) { _ in try await gate.wait() }
        let answer = try await CurlTransport.separate().run(
            server.request("POST", body: .data(Data(count: 32 << 20)), timeouts: .init(idle: 0.5)))
        #expect(answer.kind == .timeout(.idle))
        gate.open()
    }

    /// Each piece is read well within the bound, but libcurl reads no more of the body for longer than that.
    @Test(arguments: [900 << 10, 2 << 20]) func aBodyThatIsReceivedSlowlyIsNotSilence(length: Int) async throws {
        let server = try await LoopbackServer(.init(socketBuffer: 4_096)) { exchange in
            var count = 0
            while let piece = try await exchange.readBody(atMost: 32_768) {
                count += piece.count
                // This test is about time itself.
                try await Task.sleep(for: .milliseconds(30))
            }
            try await exchange.respond(body: "\(count)")
        }
        let isWhole = try await holdsInOneOfTenTries {
            let answer = try await CurlTransport.separate().run(
                server.request("POST", body: .data(Data(count: length)), timeouts: .init(idle: 0.4)))
            return answer.text == "\(length)"
        }
        #expect(isWhole)
    }

    /// Each silence is shorter than the bound, all of them together are longer.
    @Test(arguments: [(pieces: 8, milliseconds: 100), (pieces: 3, milliseconds: 350)])
    func aTrickleIsNotSilence(_ pieces: Int, _ milliseconds: Int) async throws {
        let server = try await LoopbackServer { exchange in
            try await exchange.send(head: 200, ["Content-Length": "\(pieces)"])
            for _ in 0..<pieces {
                // This test is about time itself.
                try await Task.sleep(for: .milliseconds(milliseconds))
                try await exchange.send("x")
            }
        }
        let isWhole = try await holdsInOneOfTenTries {
            try await CurlTransport.separate().run(server.request(timeouts: .init(idle: 0.5))).failure == nil
        }
        #expect(isWhole)
    }

    @Test func theTotalBoundHoldsWhileConnecting() async throws {
        let silent = try UnansweredPort()
        let answer = try await CurlTransport.separate().run(
            HTTPRequest(method: "GET", url: "http://127.0.0.1:\(silent.port)/", timeouts: .init(total: 0.1)))
        #expect(answer.kind == .timeout(.total))
        withExtendedLifetime(silent) {}
    }

    @Test func reportsTheShorterOfTwoTimeouts() async throws {
        let server = try await LoopbackServer { try await $0.stallUntilClosed() }
        let transport = CurlTransport.separate()
        let idle = try await transport.run(server.request(timeouts: .init(idle: 0.3, total: 20)))
        #expect(idle.kind == .timeout(.idle))
        let total = try await transport.run(server.request(timeouts: .init(idle: 20, total: 0.3)))
        #expect(total.kind == .timeout(.total))
    }

    @Test func anExceededTimeoutFreesTheConnection() async throws {
        let server = try await LoopbackServer { try await $0.stallUntilClosed() }
        let transport = CurlTransport.separate()
        _ = try await transport.run(server.request(timeouts: .init(idle: 0.3)))
        try await server.waitUntil { $0.connectionCount == 1 && $0.openConnectionCount == 0 }
    }

    @Test func theTotalBoundCountsTheWaitForAConnection() async throws {
        let server = try await LoopbackServer { try await $0.stallUntilClosed() }
        let transport = CurlTransport.separate(.init(maximumConnectionsPerHost: 1))
        let first = transport.begin(server.request())
        try await server.waitUntil { $0.requestCount == 1 }
        #expect(try await transport.run(server.request(timeouts: .init(total: 0.1))).kind == .timeout(.total))
        #expect(server.requestCount == 1)
        first.handle.cancel()
    }

    /// Each fails after its own limit, and not one after the other.
    @Test func concurrentExchangesWithADeadServerExceedTheConnectTimeoutTogether() async throws {
        let silent = try UnansweredPort()
        let request = HTTPRequest(
            method: "GET", url: "https://127.0.0.1:\(silent.port)/", timeouts: .init(connect: 0.3))
        let isTogether = try await holdsInOneOfTenTries {
            let transport = CurlTransport.separate()
            let start = ContinuousClock.now
            let running = (0..<10).map { _ in transport.begin(request) }
            for exchange in running {
                let kind = try await exchange.sink.waitForEnd().kind
                #expect(kind == .timeout(.connect))
            }
            return ContinuousClock.now - start < .milliseconds(600)
        }
        #expect(isTogether)
        withExtendedLifetime(silent) {}
    }

    /// The bounds on connecting and on silence begin with the connection's making, not with the wait for a free one.
    @Test func connectAndIdleBoundsDoNotCountTheWaitForAConnection() async throws {
        let gate = Gate()
        let server = try await LoopbackServer { exchange in
            if exchange.request.path == "/first" { try await gate.wait() }
            if exchange.request.path == "/clock" { try await exchange.stallUntilClosed() }
            try await exchange.respond(body: exchange.request.path)
        }
        let transport = CurlTransport.separate(.init(maximumConnectionsPerHost: 1))
        let first = transport.begin(server.request("GET", "/first"))
        try await gate.waitForArrivals(1)
        let waiting = transport.begin(server.request("GET", "/waiting", timeouts: .init(connect: 1, idle: 1)))
        // Another exchange's bound, begun later and longer, is the clock.
        let clock = try await CurlTransport.separate().run(server.request("GET", "/clock", timeouts: .init(idle: 2)))
        #expect(clock.kind == .timeout(.idle))
        gate.open()
        #expect(try await waiting.sink.waitForEnd().text == "/waiting")
        #expect(try await first.sink.waitForEnd().text == "/first")
    }

    @Test func absentTimeoutsNeverExpire() async throws {
        let gate = Gate()
        let server = try await LoopbackServer { exchange in
            try await gate.wait()
            try await exchange.respond(body: "late")
        }
        let stalled = try await LoopbackServer { try await $0.stallUntilClosed() }
        let transport = CurlTransport.separate()
        let unbounded = transport.begin(server.request())
        let clock = try await transport.run(stalled.request(timeouts: .init(total: 0.3)))
        #expect(clock.kind == .timeout(.total))
        gate.open()
        #expect(try await unbounded.sink.waitForEnd().text == "late")
    }

    @Test func boundsOfOneExchangeDoNotReachTheNext() async throws {
        let gate = Gate()
        let server = try await LoopbackServer { exchange in
            if exchange.request.path == "/held" { try await gate.wait() }
            try await exchange.respond(body: "ok")
        }
        let stalled = try await LoopbackServer { try await $0.stallUntilClosed() }
        let transport = CurlTransport.separate()
        _ = try await transport.run(server.request(timeouts: .init(connect: 0.1, idle: 0.1, total: 0.1)))
        let held = transport.begin(server.request("GET", "/held"))
        _ = try await transport.run(stalled.request(timeouts: .init(total: 0.3)))
        gate.open()
        #expect(try await held.sink.waitForEnd().failure == nil)
    }
}
#endif
