import Foundation
import MoyaTransport

/// Reports the connectivity, now and at each change.
///
///     for await state in NetworkReachability.shared.states { print(state.isOnline) }
///
/// On Linux it uses the kernel's notifications of links, addresses and routes: there is a network if a default route
/// uses a link that is up and has a carrier. On Apple platforms it uses `NWPathMonitor`. If neither can be queried, as
/// in some sandboxes, it reports a network, and calls show the truth.
///
/// Any number of tasks may observe it, each starting with the current state.
public final class NetworkReachability: Sendable {
    /// The network of this machine.
    public static let shared = NetworkReachability()

    private let hub: ReachabilityHub
    private let monitor: (any NetworkMonitor)?

    /// Starts monitoring the network; on Linux that of the calling thread's network namespace.
    public init() {
        let hub = ReachabilityHub()
        self.hub = hub
        #if canImport(Glibc)
        monitor = NetlinkMonitor { hub.record($0) }
        #else
        monitor = PathMonitor { hub.record($0) }
        #endif
        if monitor == nil { hub.record(NetworkState(interface: .ethernetOrWiFi)) }
    }

    deinit {
        monitor?.stop()
        hub.end()
    }

    /// The known state; on Apple platforms `nil` for a moment at the start.
    public var current: NetworkState? { hub.current }

    /// Returns the state; blocks the thread until there is one, for at most a time in seconds.
    func current(within seconds: Double) -> NetworkState? { hub.current(within: seconds) }

    /// The current state, and each change of it.
    ///
    /// A slow reader misses intermediate states, but never the last one.
    public var states: States { States(hub: hub) }

    /// The connectivity, now and at each change; for `WaitForConnectivity` and `OnlineProvider`.
    ///
    /// The sequence retains this object.
    public var isOnline: Online { Online(hub: hub, owner: self) }

    /// The states of the network, as an asynchronous sequence.
    public struct States: AsyncSequence, Sendable {
        /// A state of the network.
        public typealias Element = NetworkState
        /// The sequence never fails.
        public typealias Failure = Never

        let hub: ReachabilityHub

        /// Makes an iterator that starts with the current state.
        public func makeAsyncIterator() -> AsyncStream<NetworkState>.Iterator { hub.stream().makeAsyncIterator() }
    }

    /// The connectivity, as an asynchronous sequence.
    public struct Online: AsyncSequence, Sendable {
        /// `true` if there is a network.
        public typealias Element = Bool
        /// The sequence never fails.
        public typealias Failure = Never

        let hub: ReachabilityHub
        /// The object that ends the hub when it is released.
        var owner: NetworkReachability?

        /// Makes an iterator that starts with the current connectivity.
        public func makeAsyncIterator() -> Iterator { Iterator(of: self) }

        /// Yields the changes of the connectivity.
        public struct Iterator: AsyncIteratorProtocol {
            private let owner: NetworkReachability?
            private var states: AsyncStream<NetworkState>.Iterator
            private var last: Bool?

            init(of online: Online) {
                owner = online.owner
                states = online.hub.stream().makeAsyncIterator()
            }

            /// The next value that differs from the last one.
            public mutating func next() async -> Bool? {
                while let state = await states.next() { if changes(to: state) { return last } }
                return nil
            }

            /// The next value that differs from the last one.
            @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
            public mutating func next(isolation actor: isolated (any Actor)?) async -> Bool? {
                while let state = await states.next(isolation: actor) { if changes(to: state) { return last } }
                return nil
            }

            private mutating func changes(to state: NetworkState) -> Bool {
                defer { last = state.isOnline }
                return state.isOnline != last
            }
        }
    }
}

/// A source of network changes on one platform.
protocol NetworkMonitor: AnyObject, Sendable {
    func stop()
}

/// The state of the network and its subscribers.
final class ReachabilityHub: Sendable {
    private struct Listeners {
        var state: NetworkState?
        var isOver = false
        var continuations: [UInt64: AsyncStream<NetworkState>.Continuation] = [:]
        var lastNumber: UInt64 = 0
    }

    private let listeners = Lock(Listeners())
    /// Has a signal once there is a state.
    private let firstState = DispatchSemaphore(value: 0)

    var current: NetworkState? { listeners.withLock { $0.state } }

    /// Returns the state; blocks the thread until there is one, for at most a time in seconds.
    func current(within seconds: Double) -> NetworkState? {
        if let current { return current }
        // Each waiter wakes the next one.
        if firstState.wait(timeout: .now() + seconds) == .success { firstState.signal() }
        return current
    }

    func record(_ state: NetworkState) {
        let isFirst = listeners.withLock { listeners in
            guard listeners.state != state else { return false }
            defer { listeners.state = state }
            // Yielding only stores the element, so the order is that of the lock.
            for continuation in listeners.continuations.values { continuation.yield(state) }
            return listeners.state == nil
        }
        if isFirst { firstState.signal() }
    }

    func end() {
        let continuations = listeners.withLock { listeners in
            listeners.isOver = true
            defer { listeners.continuations = [:] }
            return Array(listeners.continuations.values)
        }
        for continuation in continuations { continuation.finish() }
    }

    func stream() -> AsyncStream<NetworkState> {
        let (stream, continuation) = AsyncStream.makeStream(of: NetworkState.self, bufferingPolicy: .bufferingNewest(1))
        let number = listeners.withLock { listeners -> UInt64? in
            if let state = listeners.state { continuation.yield(state) }
            guard !listeners.isOver else { return nil }
            listeners.lastNumber += 1
            listeners.continuations[listeners.lastNumber] = continuation
            return listeners.lastNumber
        }
        guard let number else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in self?.forget(number) }
        return stream
    }

    private func forget(_ number: UInt64) { listeners.withLock { $0.continuations[number] = nil } }
}
