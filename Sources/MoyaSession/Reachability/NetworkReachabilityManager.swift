public import Dispatch
import MoyaTransport

/// Calls a closure with the state of the network, now and at each change.
///
/// It provides ``NetworkReachability`` with Alamofire's API.
public final class NetworkReachabilityManager: Sendable {
    /// The state of the network.
    public enum NetworkReachabilityStatus: Sendable, Hashable {
        /// The state is unknown.
        case unknown
        /// There is no network.
        case notReachable
        /// There is a network.
        case reachable(ConnectionType)

        /// The type of network.
        public enum ConnectionType: Sendable, Hashable {
            /// Ethernet, Wi-Fi, or any other network that is not cellular.
            case ethernetOrWiFi
            /// A cellular network.
            case cellular
        }

        init(_ state: NetworkState?) {
            switch state?.interface {
            case .ethernetOrWiFi: self = .reachable(.ethernetOrWiFi)
            case .cellular: self = .reachable(.cellular)
            case nil: self = state == nil ? .unknown : .notReachable
            }
        }
    }

    /// The state of the network, with the values of Apple's `SCNetworkReachabilityFlags`.
    public struct Flags: OptionSet, Sendable, Hashable {
        /// The bits.
        public let rawValue: UInt32

        /// Makes flags of their bits.
        public init(rawValue: UInt32) { self.rawValue = rawValue }

        /// The network is reachable.
        public static let reachable = Flags(rawValue: 1 << 1)
        /// The network is cellular.
        public static let isWWAN = Flags(rawValue: 1 << 18)
    }

    /// Called with the initial status, and with each different one.
    public typealias Listener = @Sendable (NetworkReachabilityStatus) -> Void

    /// A manager of this machine's network.
    public static let `default` = NetworkReachabilityManager()

    private struct Listening {
        var task: Task<Void, Never>?
        var number = 0
    }

    private let reachability: NetworkReachability
    /// `true` for a host that is this machine, which needs no network.
    private let isLocal: Bool
    private let listening = Lock(Listening())

    /// Makes a manager of this machine's network.
    public convenience init?() { self.init(.shared) }

    /// Makes a manager for a host: that of this machine's network, unless the host is this machine.
    ///
    /// It sends no packet and resolves no name. An empty host gives `nil`.
    public convenience init?(host: String) {
        guard !host.isEmpty else { return nil }
        self.init(.shared, isLocal: LoopbackHost.contains(host))
    }

    init(_ reachability: NetworkReachability, isLocal: Bool = false) {
        self.reachability = reachability
        self.isLocal = isLocal
    }

    deinit { stopListening() }

    /// The state of the network.
    ///
    /// On Apple platforms the first access waits until the system has reported the state, which takes some milliseconds:
    /// for at most a fifth of a second.
    public var status: NetworkReachabilityStatus {
        Self.status(of: reachability.current(within: Self.longestWait), isLocal: isLocal)
    }

    private static let longestWait = 0.2

    /// The state of the network; `nil` if it is unknown.
    public var flags: Flags? {
        switch status {
        case .unknown: nil
        case .notReachable: []
        case .reachable(.ethernetOrWiFi): .reachable
        case .reachable(.cellular): [.reachable, .isWWAN]
        }
    }

    /// `true` if there is a network.
    public var isReachable: Bool { isReachableOnCellular || isReachableOnEthernetOrWiFi }

    /// `true` if there is a network, and it is cellular.
    public var isReachableOnCellular: Bool { status == .reachable(.cellular) }

    /// `true` if there is a network, and it is not cellular.
    public var isReachableOnEthernetOrWiFi: Bool { status == .reachable(.ethernetOrWiFi) }

    /// Calls a closure with the current status, and with each different one, replacing the previous closure.
    ///
    /// - Parameters:
    ///   - queue: The queue of the closure.
    ///   - listener: Receives the status.
    /// - Returns: `true` if the network can be monitored, which is always the case.
    @discardableResult
    @preconcurrency
    public func startListening(onQueue queue: DispatchQueue = .main, onUpdatePerforming listener: @escaping Listener)
        -> Bool
    {
        let number = listening.withLock { listening in
            listening.task?.cancel()
            listening.number += 1
            return listening.number
        }
        let (states, isLocal) = (reachability.states, isLocal)
        let task = Task { [weak self] in
            var last: NetworkReachabilityStatus?
            for await state in states {
                let status = Self.status(of: state, isLocal: isLocal)
                guard status != last else { continue }
                last = status
                queue.async { [weak self] in if self?.isListening(number) == true { listener(status) } }
            }
        }
        let isLate = listening.withLock { listening in
            guard listening.number == number else { return true }
            listening.task = task
            return false
        }
        if isLate { task.cancel() }
        return true
    }

    /// Stops calling the closure.
    public func stopListening() {
        listening.withLock { listening in
            listening.task?.cancel()
            listening.task = nil
            listening.number += 1
        }
    }

    private func isListening(_ number: Int) -> Bool { listening.withLock { $0.number == number } }

    private static func status(of state: NetworkState?, isLocal: Bool) -> NetworkReachabilityStatus {
        isLocal ? .reachable(.ethernetOrWiFi) : NetworkReachabilityStatus(state)
    }
}
