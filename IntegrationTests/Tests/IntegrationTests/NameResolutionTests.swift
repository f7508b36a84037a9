import CallOrders
import Foundation
import Testing

/// Name service that fails and then answers, in a separate network; every call of a test is of one provider.
@Suite(.needsNetwork, .timeLimit(.minutes(5)))
struct NameResolutionTests {
    static let name = "api.example.test"

    @Test(arguments: ["refuse", "fail", "unknown", "none"])
    func aNameThatIsNotFoundIsFoundOnceItIsThere(manner: String) async throws {
        let network = try await Network()
        try await network.set("names \(manner)")
        let first = try await network.call("/ready", at: Self.name)
        #expect(first.failure == "dns")
        #expect(first.message.contains(Self.name), "\(first.message)")
        #expect(first.message.contains("could not be resolved"), "\(first.message)")

        try await network.set("names \(Network.address)")
        #expect(try await network.call("/ready", at: Self.name).status == 204)
    }

    @Test func aNameIsFoundOnceItIsInTheHostsFile() async throws {
        let network = try await Network()
        try await network.set("names unknown")
        #expect(try await network.call("/ready", at: Self.name).failure == "dns")
        try await network.set("hosts \(Self.name) \(Network.address)")
        #expect(try await network.call("/ready", at: Self.name).status == 204)
    }

    @Test func silenceEndsAtTheConnectTimeout() async throws {
        let network = try await Network()
        let outcome = try await network.call("/ready", at: Self.name) { $0.connect = 0.2 }
        #expect(outcome.failure == "timeout connect")
        #expect(outcome.seconds < 5)
    }

    @Test func aLookupThatIsGivenUpBlocksNoOtherCall() async throws {
        let network = try await Network()
        try await network.set("names slow")
        let outcome = try await network.call("/ready", at: Self.name) { $0.connect = 0.2 }
        #expect(outcome.failure == "timeout connect")
        #expect(outcome.seconds < 5)
        #expect(try await network.call("/ready").seconds < 5)
    }

    @Test func nameLookupBlocksNoOtherCall() async throws {
        let network = try await Network()
        let waiting = try network.start("/ready", at: Self.name)
        #expect(try await network.call("/ready").status == 204)
        #expect(try await network.outcome(of: waiting).failure == "dns")
    }

    @Test func anOpenConnectionNeedsNoNameService() async throws {
        let network = try await Network()
        try await network.set("names \(Network.address)")
        #expect(try await network.call("/ready", at: Self.name).status == 204)
        try await network.set("names fail")
        #expect(try await network.call("/ready", at: Self.name).status == 204)
    }
}
