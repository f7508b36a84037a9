import Foundation
import Testing

@testable import MoyaSession

@Suite struct NetworkReachabilityManagerTests {
    private typealias Status = NetworkReachabilityManager.NetworkReachabilityStatus

    private func next(_ stream: AsyncStream<Status>) async -> Status? {
        for await status in stream { return status }
        return nil
    }

    @Test func managerOfThisHostExists() {
        #expect(NetworkReachabilityManager() != nil)
        #expect(NetworkReachabilityManager.default != nil)
        #expect(NetworkReachabilityManager(host: "example.com") != nil)
        #expect(NetworkReachabilityManager(host: "") == nil)
    }

    @Test func listenerGetsThePresentState() async throws {
        let manager = try #require(NetworkReachabilityManager())
        let (stream, continuation) = AsyncStream.makeStream(of: Status.self)
        #expect(manager.startListening(onQueue: .global()) { continuation.yield($0) })
        let status = await next(stream)
        #expect(status != nil && status != .unknown)
    }

    @Test func secondListenerReplacesTheFirst() async throws {
        let manager = try #require(NetworkReachabilityManager(host: "localhost"))
        let queue = DispatchQueue(label: "listeners")
        let (stream, continuation) = AsyncStream.makeStream(of: Status.self)
        manager.startListening(onQueue: queue) { _ in }
        manager.startListening(onQueue: queue) { continuation.yield($0) }
        #expect(await next(stream) == .reachable(.ethernetOrWiFi))
        manager.stopListening()
    }

    @Test(arguments: ["localhost", "LOCALHOST", "127.0.0.1", "::1"])
    func thisMachineIsAlwaysReachable(_ host: String) throws {
        let manager = try #require(NetworkReachabilityManager(host: host))
        #expect(manager.isReachable)
        #expect(manager.isReachableOnEthernetOrWiFi)
        #expect(!manager.isReachableOnCellular)
        #expect(manager.flags == .reachable)
    }

    @Test(arguments: [
        (NetworkState?.none, NetworkReachabilityManager.NetworkReachabilityStatus.unknown),
        (NetworkState(), .notReachable), (NetworkState(interface: .cellular), .reachable(.cellular)),
        (NetworkState(interface: .ethernetOrWiFi), .reachable(.ethernetOrWiFi)),
    ])
    func everyStateHasItsStatus(
        _ state: NetworkState?, _ status: NetworkReachabilityManager.NetworkReachabilityStatus
    ) {
        #expect(NetworkReachabilityManager.NetworkReachabilityStatus(state) == status)
    }

    @Test func listeningManagerIsReleased() throws {
        weak var released: NetworkReachabilityManager?
        do {
            let manager = try #require(NetworkReachabilityManager())
            manager.startListening(onQueue: .global()) { _ in }
            released = manager
        }
        #expect(released == nil)
    }
}
