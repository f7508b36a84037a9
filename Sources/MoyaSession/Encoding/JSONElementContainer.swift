/// Encodes values without a name; implements once the overloads that the standard library lists by type.
protocol JSONElementContainer {
    /// Begins the next value, which the returned writer writes.
    func begin() throws -> JSONValueWriter
}

extension JSONElementContainer {
    func encodeNil() throws { try begin().writeNull() }
    func encode(_ value: Bool) throws { try begin().write(value) }
    func encode(_ value: String) throws { try begin().write(value) }
    func encode(_ value: Double) throws { try begin().write(value) }
    func encode(_ value: Float) throws { try begin().write(value) }
    func encode(_ value: Int) throws { try begin().write(value) }
    func encode(_ value: Int8) throws { try begin().write(value) }
    func encode(_ value: Int16) throws { try begin().write(value) }
    func encode(_ value: Int32) throws { try begin().write(value) }
    func encode(_ value: Int64) throws { try begin().write(value) }
    func encode(_ value: UInt) throws { try begin().write(value) }
    func encode(_ value: UInt8) throws { try begin().write(value) }
    func encode(_ value: UInt16) throws { try begin().write(value) }
    func encode(_ value: UInt32) throws { try begin().write(value) }
    func encode(_ value: UInt64) throws { try begin().write(value) }
}
