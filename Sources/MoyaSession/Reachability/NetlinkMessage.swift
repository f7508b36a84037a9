/// One kernel message about links, addresses and routes (netlink(7), rtnetlink(7)).
///
/// Every read is checked against the message's length, so a truncated message is harmless.
struct NetlinkMessage {
    static let error: UInt16 = 2
    static let done: UInt16 = 3
    static let newLink: UInt16 = 16
    static let getLink: UInt16 = 18
    static let newAddress: UInt16 = 20
    static let getAddress: UInt16 = 22
    static let newRoute: UInt16 = 24
    static let getRoute: UInt16 = 26

    // struct nlmsghdr { u32 length; u16 type; u16 flags; u32 sequence; u32 port; }
    static let headerLength = 16

    let type: UInt16
    let flags: UInt16
    let sequence: UInt32
    let payload: ArraySlice<UInt8>

    /// `true` if the kernel's tables changed while it sent them, so they have to be requested again.
    var isInterrupted: Bool { flags & 0x10 != 0 }  // NLM_F_DUMP_INTR

    /// The messages in one received datagram.
    static func messages(in bytes: ArraySlice<UInt8>) -> [NetlinkMessage] {
        var messages: [NetlinkMessage] = []
        var rest = bytes
        while let length = rest.value(UInt32.self, at: 0).map(Int.init), length >= headerLength, length <= rest.count,
            let type = rest.value(UInt16.self, at: 4), let flags = rest.value(UInt16.self, at: 6),
            let sequence = rest.value(UInt32.self, at: 8)
        {
            let payload = rest.dropFirst(headerLength).prefix(length - headerLength)
            messages.append(NetlinkMessage(type: type, flags: flags, sequence: sequence, payload: payload))
            rest = rest.dropFirst(aligned(length))
        }
        return messages
    }

    /// A request for a complete kernel table.
    static func dumpRequest(_ type: UInt16, sequence: UInt32) -> [UInt8] {
        var bytes: [UInt8] = []
        let length = headerLength + 16
        withUnsafeBytes(of: UInt32(length)) { bytes += $0 }
        withUnsafeBytes(of: type) { bytes += $0 }
        withUnsafeBytes(of: UInt16(0x301)) { bytes += $0 }  // NLM_F_REQUEST | NLM_F_DUMP
        withUnsafeBytes(of: sequence) { bytes += $0 }
        bytes += [UInt8](repeating: 0, count: length - bytes.count)
        return bytes
    }

    func u8(at offset: Int) -> UInt8? { payload.value(UInt8.self, at: offset) }
    func u16(at offset: Int) -> UInt16? { payload.value(UInt16.self, at: offset) }
    func u32(at offset: Int) -> UInt32? { payload.value(UInt32.self, at: offset) }
    func s32(at offset: Int) -> Int32? { payload.value(Int32.self, at: offset) }

    /// An attribute: struct rtattr { u16 length; u16 type; } and a value.
    struct Attribute {
        let type: UInt16
        let value: ArraySlice<UInt8>

        var u8: UInt8? { value.value(UInt8.self, at: 0) }
        var u32: UInt32? { value.value(UInt32.self, at: 0) }
        var s32: Int32? { value.value(Int32.self, at: 0) }
        var string: String { String(decoding: value.prefix { $0 != 0 }, as: UTF8.self) }

        // struct rtnexthop { u16 length; u8 flags; u8 hops; s32 index; }
        /// The links of a multipath route.
        var nextHops: [Int32] {
            var indices: [Int32] = []
            var rest = value
            while let length = rest.value(UInt16.self, at: 0).map(Int.init), length >= 8, length <= rest.count,
                let index = rest.value(Int32.self, at: 4)
            {
                indices.append(index)
                rest = rest.dropFirst(NetlinkMessage.aligned(length))
            }
            return indices
        }
    }

    func forEachAttribute(after header: Int, _ body: (Attribute) -> Void) {
        var rest = payload.dropFirst(header)
        while let length = rest.value(UInt16.self, at: 0).map(Int.init), length >= 4, length <= rest.count,
            let type = rest.value(UInt16.self, at: 2)
        {
            // The two highest bits are flags.
            body(Attribute(type: type & 0x3FFF, value: rest.dropFirst(4).prefix(length - 4)))
            rest = rest.dropFirst(Self.aligned(length))
        }
    }

    fileprivate static func aligned(_ length: Int) -> Int { (length + 3) & ~3 }
}

extension ArraySlice<UInt8> {
    /// A number in native byte order; `nil` if it is truncated.
    fileprivate func value<Number: FixedWidthInteger>(_: Number.Type, at offset: Int) -> Number? {
        guard count >= offset + MemoryLayout<Number>.size else { return nil }
        return withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: Number.self) }
    }
}
