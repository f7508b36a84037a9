/// Encodes values without a name; implements once the overloads that the standard library lists by type.
protocol JSONElementContainer {
    var writer: JSONValueWriter { get }
    /// Begins the next value.
    func begin() throws
}

extension JSONElementContainer {
    func encodeNil() throws {
        try begin()
        writer.writeNull()
    }

    func encode(_ value: Bool) throws {
        try begin()
        writer.write(value)
    }

    func encode(_ value: String) throws {
        try begin()
        writer.write(value)
    }

    func encode(_ value: Double) throws {
        try begin()
        try writer.write(value)
    }

    func encode(_ value: Float) throws {
        try begin()
        try writer.write(value)
    }

    func encode(_ value: Int) throws { try integer(value) }
    func encode(_ value: Int8) throws { try integer(value) }
    func encode(_ value: Int16) throws { try integer(value) }
    func encode(_ value: Int32) throws { try integer(value) }
    func encode(_ value: Int64) throws { try integer(value) }
    func encode(_ value: UInt) throws { try integer(value) }
    func encode(_ value: UInt8) throws { try integer(value) }
    func encode(_ value: UInt16) throws { try integer(value) }
    func encode(_ value: UInt32) throws { try integer(value) }
    func encode(_ value: UInt64) throws { try integer(value) }

    func integer(_ value: some FixedWidthInteger) throws {
        try begin()
        writer.write(value)
    }
}
