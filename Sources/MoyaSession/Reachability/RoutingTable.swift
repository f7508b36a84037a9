/// The kernel's links, addresses and routes, and the resulting network state.
struct RoutingTable: Sendable, Equatable {
    /// A network interface.
    struct Link: Sendable, Equatable {
        var name = ""
        /// `true` if the interface is enabled.
        var isUp = false
        /// `true` if the interface has a carrier, or needs none.
        var hasCarrier = false
        var isLoopback = false
        /// `true` if the interface is cellular.
        var isCellular = false
    }

    /// An address of the machine with more than local scope.
    struct Address: Sendable, Hashable {
        var family: UInt8
        var link: Int32
    }

    /// A default route.
    struct DefaultRoute: Sendable, Hashable {
        var family: UInt8
        var link: Int32
        var metric: UInt32
    }

    var links: [Int32: Link] = [:]
    var addresses: Set<Address> = []
    var defaultRoutes: Set<DefaultRoute> = []

    /// The network state: online with a default route over a link that is up and has a carrier, and an address of the
    /// route's family.
    var state: NetworkState {
        let ways = defaultRoutes.filter { route in
            guard let link = links[route.link], link.isUp, link.hasCarrier, !link.isLoopback else { return false }
            return addresses.contains { $0.family == route.family }
        }
        guard let way = ways.min(by: { $0.metric < $1.metric }) else { return NetworkState() }
        return NetworkState(interface: links[way.link]?.isCellular == true ? .cellular : .ethernetOrWiFi)
    }

    /// Records the content of one message of a dump; other messages are ignored.
    mutating func record(_ message: NetlinkMessage) {
        switch message.type {
        case NetlinkMessage.newLink: recordLink(message)
        case NetlinkMessage.newAddress: recordAddress(message)
        case NetlinkMessage.newRoute: recordRoute(message)
        default: break
        }
    }

    // struct ifinfomsg { u8 family; u8; u16 type; s32 index; u32 flags; u32 change; }
    private mutating func recordLink(_ message: NetlinkMessage) {
        guard let type = message.u16(at: 2), let index = message.s32(at: 4), let flags = message.u32(at: 8) else {
            return
        }
        var link = Link()
        link.isUp = flags & 0x1 != 0  // IFF_UP
        link.isLoopback = flags & 0x8 != 0  // IFF_LOOPBACK
        link.hasCarrier = flags & 0x40 != 0  // IFF_RUNNING
        message.forEachAttribute(after: 16) { attribute in
            switch attribute.type {
            case 3: link.name = attribute.string  // IFLA_IFNAME
            case 33: if attribute.u8 == 0 { link.hasCarrier = false }  // IFLA_CARRIER
            default: break
            }
        }
        // Modems use ARPHRD_RAWIP; those that pretend to be Ethernet are recognized by name.
        link.isCellular = type == 519 || link.name.hasPrefix("wwan") || link.name.hasPrefix("rmnet")
        links[index] = link
    }

    // struct ifaddrmsg { u8 family; u8 prefix length; u8 flags; u8 scope; u32 index; }
    private mutating func recordAddress(_ message: NetlinkMessage) {
        guard let family = message.u8(at: 0), let flags = message.u8(at: 2), let scope = message.u8(at: 3),
            let index = message.s32(at: 4)
        else { return }
        // RT_SCOPE_UNIVERSE, RT_SCOPE_SITE; not RT_SCOPE_LINK, RT_SCOPE_HOST. IFA_F_DADFAILED and IFA_F_TENTATIVE: an
        // address that belongs, or may belong, to another machine.
        guard scope == 0 || scope == 200, flags & 0x48 == 0 else { return }
        addresses.insert(Address(family: family, link: index))
    }

    // struct rtmsg { u8 family; u8 destination length; u8; u8; u8 table; u8 protocol; u8 scope; u8 type; u32 flags; }
    private mutating func recordRoute(_ message: NetlinkMessage) {
        // RTN_UNICAST: other default routes mean that there is no way out.
        guard let family = message.u8(at: 0), message.u8(at: 1) == 0, message.u8(at: 7) == 1,
            let flags = message.u32(at: 8)
        else { return }
        guard flags & 0x200 == 0 else { return }  // RTM_F_CLONED: a cached route
        var metric: UInt32 = 0
        var indices: [Int32] = []
        message.forEachAttribute(after: 12) { attribute in
            switch attribute.type {
            case 4: if let index = attribute.s32 { indices.append(index) }  // RTA_OIF
            case 6: metric = attribute.u32 ?? 0  // RTA_PRIORITY
            case 9: indices += attribute.nextHops  // RTA_MULTIPATH
            default: break
            }
        }
        for index in indices { defaultRoutes.insert(DefaultRoute(family: family, link: index, metric: metric)) }
    }
}
