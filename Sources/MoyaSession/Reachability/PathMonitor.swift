#if canImport(Network)
import Dispatch
import Network

/// Monitors the network with the system's path monitor.
///
/// `@unchecked`: the monitor is configured before it is shared, and may be cancelled from any thread; some versions of
/// Apple's declarations do not declare it as `Sendable`.
final class PathMonitor: NetworkMonitor, @unchecked Sendable {
    private let monitor = NWPathMonitor()

    /// Starts monitoring; `nil` on watchOS, which reports no path to most apps although they have a network (Apple's
    /// technical note TN3135).
    ///
    /// - Parameter onChange: Called on a queue of the monitor, with the initial state and after each change.
    init?(onChange: @escaping @Sendable (NetworkState) -> Void) {
        #if os(watchOS)
        return nil
        #else
        monitor.pathUpdateHandler = { path in
            // A path that requires a connection, such as a VPN on demand, is established by the first request.
            guard path.status != .unsatisfied else { return onChange(NetworkState()) }
            onChange(NetworkState(interface: path.usesInterfaceType(.cellular) ? .cellular : .ethernetOrWiFi))
        }
        monitor.start(queue: DispatchQueue(label: "org.moya.reachability"))
        #endif
    }

    deinit { monitor.cancel() }

    func stop() { monitor.cancel() }
}
#endif
