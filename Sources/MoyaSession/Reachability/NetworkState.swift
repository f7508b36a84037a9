/// The connectivity, and the kind of network.
public struct NetworkState: Sendable, Hashable {
    /// The kind of network that a client's calls go through.
    public enum Interface: Sendable, Hashable {
        /// Ethernet, Wi-Fi, or anything else that is not cellular.
        case ethernetOrWiFi
        /// A modem.
        case cellular
    }

    /// The interface that leads out; `nil` when none does.
    public var interface: Interface?

    /// Makes a state.
    public init(interface: Interface? = nil) { self.interface = interface }

    /// `true` if a route leads out of this machine.
    ///
    /// Only a request shows whether a certain host answers.
    public var isOnline: Bool { interface != nil }
}
