#if canImport(Network)
import Dispatch
import Network

/// Follows the state of the network through the system's path monitor.
///
/// `@unchecked`: the monitor is set up before it is shared, and may be cancelled from any thread; not every version of
/// Apple's declarations states that it is `Sendable`.
final class PathMonitor: NetworkMonitor, @unchecked Sendable {
    private let monitor = NWPathMonitor()

    /// Begins to watch.
    ///
    /// - Parameter onChange: Called on a queue of the monitor's, with the state at the start and after each change.
    init?(onChange: @escaping @Sendable (NetworkState) -> Void) {
        monitor.pathUpdateHandler = { path in
            guard path.status == .satisfied else { return onChange(NetworkState()) }
            onChange(NetworkState(interface: path.usesInterfaceType(.cellular) ? .cellular : .ethernetOrWiFi))
        }
        monitor.start(queue: DispatchQueue(label: "org.moya.reachability"))
    }

    deinit { monitor.cancel() }

    func stop() { monitor.cancel() }
}
#endif
