/// Whether there is a network, and of which kind.
public struct NetworkState: Sendable, Hashable {
    /// What kind of network a client's calls go through.
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

    /// Whether a way leads out of this machine.
    ///
    /// Whether a certain host answers is known only by asking it.
    public var isOnline: Bool { interface != nil }
}
