#if canImport(Glibc)
import Foundation
import Testing

@testable import MoyaSession

/// The kernel's own notifications, in a network namespace of the test's.
@Suite(.enabled(if: NetworkNamespace.obstacle == nil, Comment(rawValue: NetworkNamespace.obstacle ?? "")))
struct NetlinkMonitorTests {
    private let namespace: NetworkNamespace
    private let reachability: NetworkReachability

    init() async throws {
        namespace = try NetworkNamespace()
        reachability = try await namespace.inside { NetworkReachability() }
    }

    private func connect() throws {
        try namespace.ip("link", "set", "v1", "up")
        try namespace.ip("link", "set", "v0", "up")
        try namespace.ip("route", "add", "default", "via", "192.0.2.1", "dev", "v0")
    }

    /// Waits for an answer; others in between, of a change that takes several steps, may come.
    private func wait(
        for answer: Bool, _ answers: inout NetworkReachability.Online.Iterator
    ) async {
        while let next = await answers.next(), next != answer {}
    }

    @Test(.timeLimit(.minutes(5))) func linkStateChangesAreNoticed() async throws {
        var answers = reachability.isOnline.makeAsyncIterator()
        #expect(await answers.next() == false)
        try connect()
        #expect(await answers.next() == true)
        // The other end: the cable is pulled.
        try namespace.ip("link", "set", "v1", "down")
        #expect(await answers.next() == false)
        try namespace.ip("link", "set", "v1", "up")
        #expect(await answers.next() == true)
    }

    @Test(.timeLimit(.minutes(5))) func linkThatIsSwitchedOffIsNoticed() async throws {
        var answers = reachability.isOnline.makeAsyncIterator()
        try connect()
        await wait(for: true, &answers)
        try namespace.ip("link", "set", "v0", "down")
        #expect(await answers.next() == false)
    }

    @Test(.timeLimit(.minutes(5))) func routeThatIsWithdrawnIsNoticed() async throws {
        var answers = reachability.isOnline.makeAsyncIterator()
        try connect()
        await wait(for: true, &answers)
        try namespace.ip("route", "del", "default")
        #expect(await answers.next() == false)
        try namespace.ip("route", "add", "default", "via", "192.0.2.1", "dev", "v0")
        #expect(await answers.next() == true)
    }

    @Test(.timeLimit(.minutes(5))) func addressThatIsRemovedIsNoticed() async throws {
        var answers = reachability.isOnline.makeAsyncIterator()
        try connect()
        await wait(for: true, &answers)
        try namespace.ip("addr", "del", "192.0.2.2/24", "dev", "v0")
        #expect(await answers.next() == false)
    }

    @Test(.timeLimit(.minutes(5))) func managerNotifiesItsListener() async throws {
        let manager = NetworkReachabilityManager(reachability)
        let (stream, continuation) = AsyncStream.makeStream(
            of: NetworkReachabilityManager.NetworkReachabilityStatus.self)
        manager.startListening(onQueue: .global()) { continuation.yield($0) }
        var statuses = stream.makeAsyncIterator()
        #expect(await statuses.next() == .notReachable)
        try connect()
        #expect(await statuses.next() == .reachable(.ethernetOrWiFi))
        #expect(manager.isReachable)
        manager.stopListening()
    }
}
#endif
