import CallOrders
import Foundation
import Testing

/// A cable that is long, loses packets, or is cut, in a separate network.
@Suite(.needsNetwork, .timeLimit(.minutes(5)))
struct CableTests {
    // MARK: Delay and loss

    @Test func callsArriveOverACableThatLosesPackets() async throws {
        let network = try await Network()
        try await network.set("cable 10 3")
        try await expectCallsToArrive(in: network)
    }

    @Test(.needsNetem) func callsArriveWhereTheKernelLosesPackets() async throws {
        let network = try await Network()
        try await network.set("netem 10 3")
        try await expectCallsToArrive(in: network)
    }

    private func expectCallsToArrive(in network: Network) async throws {
        let small = try (0..<40).map { try network.start("/slowly/\($0)") }
        let large = try network.start("/gated/large?before=300000&after=0")
        _ = try await network.call("/open/large")
        for id in small { #expect(try await network.outcome(of: id).status == 200) }
        #expect(try await network.outcome(of: large).bytes == 300_000)
    }

    @Test func aHighLatencyIsNotAFailure() async throws {
        let network = try await Network()
        try await network.set("cable 150 0")
        let outcome = try await network.call("/ready") { $0.idle = 5 }
        #expect(outcome.status == 204)
        // Out and back, for the connection and for the request.
        #expect(outcome.seconds >= 0.6)
    }

    @Test(arguments: ["attempt", "total"])
    func aDeadlineHoldsOnALongWay(bound: String) async throws {
        let network = try await Network()
        try await network.set("cable 400 0")
        let outcome = try await network.call("/ready") {
            if bound == "attempt" { $0.attempt = 0.3 } else { $0.total = 0.3 }
        }
        #expect(outcome.failure == "timeout total")
        #expect((0.29..<1.5).contains(outcome.seconds), "\(outcome.seconds)")
    }

    // MARK: A cut cable

    @Test func aCutCableEndsAConnectionAttempt() async throws {
        let network = try await Network()
        try await network.set("cable cut")
        let outcome = try await network.call("/ready") { $0.connect = 0.3 }
        #expect(outcome.failure == "timeout connect")
        #expect((0.29..<1.5).contains(outcome.seconds), "\(outcome.seconds)")
        try await expectRecovery(of: network)
    }

    @Test func aCutCableEndsACallOnAnOpenConnection() async throws {
        let network = try await Network()
        #expect(try await network.call("/ready").status == 204)
        try await network.set("cable cut")
        let outcome = try await network.call("/ready") { $0.idle = 0.3 }
        #expect(outcome.failure == "timeout idle")
        #expect((0.29..<1.5).contains(outcome.seconds), "\(outcome.seconds)")
        try await expectRecovery(of: network)
    }

    @Test(arguments: ["idle", "attempt", "total"])
    func aCutCableEndsAResponseInFlight(bound: String) async throws {
        let network = try await Network()
        let waiting = try network.start("/gated/word?before=1000&after=1000") {
            switch bound {
            case "idle": $0.idle = 0.5
            case "attempt": $0.attempt = 0.5
            default: $0.total = 0.5
            }
        }
        // It has come to the other side.
        #expect(try await network.call("/seen?prefix=word&count=1").status == 200)
        try await network.set("cable cut")
        let outcome = try await network.outcome(of: waiting)
        #expect(outcome.failure == (bound == "idle" ? "timeout idle" : "timeout total"))
        #expect((0.49..<2).contains(outcome.seconds), "\(outcome.seconds)")
        try await expectRecovery(of: network)
    }

    @Test func manyCallsOnACutCableEndOnceEach() async throws {
        let network = try await Network()
        for id in try (0..<16).map({ try network.start("/slowly/\($0)") }) {
            #expect(try await network.outcome(of: id).status == 200)
        }
        try await network.set("cable cut")
        let waiting = try (0..<64).map { try network.start("/slowly/\($0)") { $0.total = 0.4 } }
        for id in waiting { #expect(try await network.outcome(of: id).failure == "timeout total") }
        try await expectRecovery(of: network)
    }

    @Test func aCableRepairedInTimeLosesNoCall() async throws {
        let network = try await Network()
        #expect(try await network.call("/ready").status == 204)
        try await network.set("cable cut")
        let waiting = try (0..<8).map { try network.start("/slowly/\($0)") { $0.total = 20 } }
        // Long enough for the first packets to be lost.
        #expect(try await network.call("/ready") { $0.total = 0.2 }.failure == "timeout total")
        try await network.set("cable 0 0")
        for id in waiting { #expect(try await network.outcome(of: id).status == 200) }
    }

    /// The cable is mended, and the next calls succeed.
    private func expectRecovery(of network: Network) async throws {
        try await network.set("cable 0 0")
        for _ in 0..<3 {
            #expect(try await network.call("/ready") { $0.total = 10 }.status == 204)
        }
    }
}
