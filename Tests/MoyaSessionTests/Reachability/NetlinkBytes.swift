/// Builds netlink messages of the kernel, byte by byte.
struct NetlinkBytes {
    var bytes: [UInt8] = []

    mutating func append(_ number: some FixedWidthInteger) { withUnsafeBytes(of: number) { bytes += $0 } }

    /// A message with a header, a body and attributes.
    static func message(
        _ type: UInt16, flags: UInt16 = 0, sequence: UInt32 = 1, body: [UInt8], attributes: [(UInt16, [UInt8])] = []
    ) -> [UInt8] {
        var content = NetlinkBytes(bytes: body)
        for (type, value) in attributes {
            content.append(UInt16(4 + value.count))
            content.append(type)
            content.bytes += value + [UInt8](repeating: 0, count: (4 - value.count % 4) % 4)
        }
        var message = NetlinkBytes()
        message.append(UInt32(16 + content.bytes.count))
        message.append(type)
        message.append(flags)
        message.append(sequence)
        message.append(UInt32(0))
        return message.bytes + content.bytes
    }

    static func number(_ number: some FixedWidthInteger) -> [UInt8] {
        var bytes = NetlinkBytes()
        bytes.append(number)
        return bytes.bytes
    }

    static func link(_ index: Int32, _ name: String, type: UInt16 = 1, flags: UInt32 = 0x41) -> [UInt8] {
        message(
            16, body: [0, 0] + number(type) + number(index) + number(flags) + number(UInt32(0)),
            attributes: [(3, Array(name.utf8) + [0])])
    }

    static func address(_ index: UInt32, family: UInt8 = 2, scope: UInt8 = 0, flags: UInt8 = 0x80) -> [UInt8] {
        message(20, body: [family, 24, flags, scope] + number(index))
    }

    static func route(
        via index: Int32, family: UInt8 = 2, prefix: UInt8 = 0, type: UInt8 = 1, metric: UInt32 = 0, flags: UInt32 = 0
    ) -> [UInt8] {
        message(
            24, body: [family, prefix, 0, 0, 254, 3, 0, type] + number(flags),
            attributes: [(4, number(index)), (6, number(metric))])
    }
}
