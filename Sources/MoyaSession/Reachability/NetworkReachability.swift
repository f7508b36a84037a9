import Foundation
import MoyaTransport

/// Reports whether there is a network, now and at each change.
///
///     for await state in NetworkReachability.shared.states { print(state.isOnline) }
///
/// On Linux it follows the kernel's notifications of links, addresses and routes: there is a network when a default
/// route leads over a link that is up and has a carrier. On Apple's platforms it follows `NWPathMonitor`. Where neither
/// can be queried, as in some sandboxes, it says that there is a network: a call then shows.
///
/// Any number of tasks may follow it, each from the present on.
public final class NetworkReachability: Sendable {
    /// The network of this machine.
    public static let shared = NetworkReachability()

    private let hub: ReachabilityHub
    private let monitor: (any NetworkMonitor)?

    /// Begins to follow the network; on Linux that of the calling thread's network namespace.
    public init() {
        let hub = ReachabilityHub()
        self.hub = hub
        #if canImport(Glibc)
        monitor = NetlinkMonitor { hub.record($0) }
        #elseif canImport(Network)
        monitor = PathMonitor { hub.record($0) }
        #else
        monitor = nil
        #endif
        if monitor == nil { hub.record(NetworkState(interface: .ethernetOrWiFi)) }
    }

    deinit {
        monitor?.stop()
        hub.end()
    }

    /// The state as far as it is known; `nil` for a moment at the start.
    public var current: NetworkState? { hub.current }

    /// The present state, and each change of it.
    ///
    /// A slow reader misses states, never the last.
    public var states: States { States(hub: hub) }

    /// The connectivity, now and at each change; for `WaitForConnectivity` and `OnlineProvider`.
    public var isOnline: Online { Online(hub: hub) }

    /// The states of the network, as an asynchronous sequence.
    public struct States: AsyncSequence, Sendable {
        /// A state.
        public typealias Element = NetworkState
        /// None.
        public typealias Failure = Never

        let hub: ReachabilityHub

        /// Begins with the present state.
        public func makeAsyncIterator() -> AsyncStream<NetworkState>.Iterator { hub.stream().makeAsyncIterator() }
    }

    /// The connectivity, as an asynchronous sequence.
    public struct Online: AsyncSequence, Sendable {
        /// `true` if there is a network.
        public typealias Element = Bool
        /// None.
        public typealias Failure = Never

        let hub: ReachabilityHub

        /// Begins with the present.
        public func makeAsyncIterator() -> Iterator { Iterator(states: hub.stream().makeAsyncIterator()) }

        /// Yields the changes of one answer.
        public struct Iterator: AsyncIteratorProtocol {
            var states: AsyncStream<NetworkState>.Iterator
            private var last: Bool?

            init(states: AsyncStream<NetworkState>.Iterator) { self.states = states }

            /// The next answer that is another than the last.
            public mutating func next() async -> Bool? {
                while let state = await states.next() { if changes(to: state) { return last } }
                return nil
            }

            /// The next answer that is another than the last.
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

/// A source of network changes, on one platform or another.
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

    var current: NetworkState? { listeners.withLock { $0.state } }

    func record(_ state: NetworkState) {
        listeners.withLock { listeners in
            guard listeners.state != state else { return }
            listeners.state = state
            // Yielding only keeps the element, so that the order is that of the lock.
            for continuation in listeners.continuations.values { continuation.yield(state) }
        }
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
