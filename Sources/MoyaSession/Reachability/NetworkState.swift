/// The connectivity, and the type of network.
public struct NetworkState: Sendable, Hashable {
    /// The type of network that carries a client's calls.
    public enum Interface: Sendable, Hashable {
        /// Ethernet, Wi-Fi, or any other network that is not cellular.
        case ethernetOrWiFi
        /// A cellular network.
        case cellular
    }

    /// The interface of the default route; `nil` without one.
    public var interface: Interface?

    /// Makes a state.
    public init(interface: Interface? = nil) { self.interface = interface }

    /// `true` if a route leads out of this machine.
    ///
    /// Only a request shows whether a particular host answers.
    public var isOnline: Bool { interface != nil }
}
