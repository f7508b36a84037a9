import Foundation
import Testing

@testable import MoyaSession

@Suite struct NetworkReachabilityTests {
    private let online = NetworkState(interface: .ethernetOrWiFi)
    private let offline = NetworkState()

    @Test func followerBeginsWithThePresent() async {
        let hub = ReachabilityHub()
        hub.record(online)
        var states = NetworkReachability.States(hub: hub).makeAsyncIterator()
        #expect(await states.next() == online)
    }

    @Test func everyFollowerGetsAChange() async {
        let hub = ReachabilityHub()
        hub.record(online)
        var first = NetworkReachability.States(hub: hub).makeAsyncIterator()
        var second = NetworkReachability.States(hub: hub).makeAsyncIterator()
        #expect(await first.next() == online)
        #expect(await second.next() == online)
        hub.record(offline)
        #expect(await first.next() == offline)
        #expect(await second.next() == offline)
    }

    @Test func slowFollowerMissesStatesButNotTheLast() async {
        let hub = ReachabilityHub()
        var states = NetworkReachability.States(hub: hub).makeAsyncIterator()
        for state in [online, offline, NetworkState(interface: .cellular)] { hub.record(state) }
        #expect(await states.next() == NetworkState(interface: .cellular))
    }

    @Test func sameStateIsReportedOnce() async {
        let hub = ReachabilityHub()
        var states = NetworkReachability.States(hub: hub).makeAsyncIterator()
        hub.record(online)
        #expect(await states.next() == online)
        hub.record(online)
        hub.end()
        #expect(await states.next() == nil)
    }

    @Test func onlineIsReportedOnlyWhenItChanges() async {
        let hub = ReachabilityHub()
        var answers = NetworkReachability.Online(hub: hub).makeAsyncIterator()
        hub.record(online)
        #expect(await answers.next() == true)
        hub.record(NetworkState(interface: .cellular))
        hub.record(offline)
        #expect(await answers.next() == false)
    }

    @Test func followerOfAnEndedReachabilityEnds() async {
        let hub = ReachabilityHub()
        hub.end()
        var states = NetworkReachability.States(hub: hub).makeAsyncIterator()
        #expect(await states.next() == nil)
    }

    #if os(Linux)
    @Test func unknownStateIsNil() { #expect(ReachabilityHub().current(within: 0) == nil) }

    @Test(.timeLimit(.minutes(1))) func everyReaderOfTheFirstStateReceivesIt() async {
        let hub = ReachabilityHub()
        let states = Recorded<NetworkState?>()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<3 {
                group.addTask {
                    await withCheckedContinuation { continuation in
                        Thread.detachNewThread {
                            states.add(hub.current(within: 300))
                            continuation.resume()
                        }
                    }
                }
            }
            hub.record(NetworkState(interface: .cellular))
        }
        #expect(states.all == Array(repeating: NetworkState(interface: .cellular), count: 3))
    }

    @Test func stateIsKnownAtOnce() { #expect(NetworkReachability().current != nil) }

    @Test func managerKnowsItsStatusAtOnce() {
        #expect(NetworkReachabilityManager(NetworkReachability()).status != .unknown)
    }
    #endif

    @Test func hostHasAState() async {
        let reachability = NetworkReachability()
        var states = reachability.states.makeAsyncIterator()
        let state = await states.next()
        #expect(state != nil)
        #expect(reachability.current != nil)
    }

    @Test func connectivityRetainsItsObject() {
        weak var reachability: NetworkReachability?
        func connectivity() -> NetworkReachability.Online {
            let made = NetworkReachability()
            reachability = made
            return made.isOnline
        }
        let online = connectivity()
        #expect(reachability != nil)
        withExtendedLifetime(online) {}
    }

    @Test(.timeLimit(.minutes(1))) func releasedReachabilityEndsItsStates() async {
        var reachability: NetworkReachability? = NetworkReachability()
        let states = reachability?.states
        reachability = nil
        var iterator = states?.makeAsyncIterator()
        while await iterator?.next() != nil {}
    }
}
