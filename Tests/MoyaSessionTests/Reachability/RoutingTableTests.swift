import MoyaTesting
import Testing

@testable import MoyaSession

@Suite struct RoutingTableTests {
    private func table(_ messages: [UInt8]...) -> RoutingTable {
        var table = RoutingTable()
        for message in NetlinkMessage.messages(in: messages.flatMap { $0 }[...]) { table.record(message) }
        return table
    }

    private let ethernet = NetlinkBytes.link(2, "eth0")
    private let address = NetlinkBytes.address(2)
    private let route = NetlinkBytes.route(via: 2)

    @Test func defaultRouteOverALinkThatIsUpLeadsOut() {
        #expect(table(ethernet, address, route).state == NetworkState(interface: .ethernetOrWiFi))
    }

    @Test func emptyTableLeadsNowhere() {
        #expect(!RoutingTable().state.isOnline)
    }

    @Test func eachPartIsNeeded() {
        #expect(!table(ethernet, address).state.isOnline)
        #expect(!table(ethernet, route).state.isOnline)
        #expect(!table(address, route).state.isOnline)
    }

    @Test(arguments: [UInt32(0), 0x1, 0x40, 0x49])
    func linkThatIsDownOrHasNoCarrierOrIsLoopbackLeadsNowhere(_ flags: UInt32) {
        #expect(!table(NetlinkBytes.link(2, "eth0", flags: flags), address, route).state.isOnline)
    }

    @Test func carrierThatIsLostCountsDespiteTheFlags() {
        let link = NetlinkBytes.message(
            16, body: [0, 0, 1, 0] + NetlinkBytes.number(Int32(2)) + NetlinkBytes.number(UInt32(0x41)) + [0, 0, 0, 0],
            attributes: [(33, [0])])
        #expect(!table(link, address, route).state.isOnline)
    }

    @Test func routeToASubnetLeadsNowhere() {
        #expect(!table(ethernet, address, NetlinkBytes.route(via: 2, prefix: 24)).state.isOnline)
    }

    @Test(arguments: [UInt8(2), 6, 7, 8])
    func routeThatIsNoWayLeadsNowhere(_ type: UInt8) {
        #expect(!table(ethernet, address, NetlinkBytes.route(via: 2, type: type)).state.isOnline)
    }

    @Test func routeOfAFamilyWithoutAnAddressLeadsNowhere() {
        #expect(!table(ethernet, NetlinkBytes.address(2, family: 10), route).state.isOnline)
    }

    @Test(arguments: [(UInt8(253), UInt8(0x80)), (254, 0x80), (0, 0x08), (0, 0x40)])
    func addressOfLocalScopeLeadsNowhere(_ scope: UInt8, _ flags: UInt8) {
        #expect(!table(ethernet, NetlinkBytes.address(2, scope: scope, flags: flags), route).state.isOnline)
    }

    @Test func ipv6AloneLeadsOut() {
        #expect(
            table(ethernet, NetlinkBytes.address(2, family: 10), NetlinkBytes.route(via: 2, family: 10)).state.isOnline)
    }

    @Test(arguments: [("wwan0", UInt16(1)), ("rmnet_data0", 1), ("modem", 519)])
    func modemIsCellular(_ name: String, _ type: UInt16) {
        #expect(table(NetlinkBytes.link(2, name, type: type), address, route).state.interface == .cellular)
    }

    @Test func routeOfTheLeastMetricCounts() {
        let modem = NetlinkBytes.link(3, "wwan0")
        let slow = NetlinkBytes.route(via: 3, metric: 700)
        let fast = NetlinkBytes.route(via: 2, metric: 100)
        #expect(table(ethernet, modem, address, slow, fast).state.interface == .ethernetOrWiFi)
    }

    @Test func routeOverSeveralLinksLeadsOutOverOneOfThem() {
        let hops: [UInt8] =
            [8, 0, 0, 0] + NetlinkBytes.number(Int32(9)) + [8, 0, 0, 0] + NetlinkBytes.number(Int32(2))
        let route = NetlinkBytes.message(
            24, body: [2, 0, 0, 0, 254, 3, 0, 1, 0, 0, 0, 0], attributes: [(9, hops)])
        #expect(table(ethernet, address, route).state.isOnline)
    }

    @Test func truncatedMessagesAreParsedSafely() {
        for message in [ethernet, address, route] {
            for length in 0..<message.count {
                var cut = Array(message.prefix(length))
                _ = table(cut)
                // Also with a length that claims completeness.
                if length >= 4 {
                    cut.replaceSubrange(0..<4, with: NetlinkBytes.number(UInt32(length)))
                    _ = table(cut)
                }
            }
        }
    }

    @Test func randomBytesAreParsedSafely() {
        var generator = SeededGenerator(seed: 16)
        for _ in 0..<2_000 {
            var bytes = ethernet + address + route
            for _ in 0..<8 {
                bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            }
            _ = table(bytes).state
        }
    }
}
