#if HTTPTypes
public import HTTPTypes
public import MoyaSession
public import MoyaTransport

extension HTTPTypes.HTTPFields {
    /// The maximum number of fields in a list; one more traps.
    static var maximumCount: Int { Int(UInt16.max) - 1 }

    /// Makes a list of field lines, in order and with their original spelling.
    ///
    /// - Throws: ``HTTPTypesConversionError`` for a name that is not a token, a value that no transport sends, or too
    ///   many lines.
    public init(_ lines: some Collection<MoyaTransport.HTTPField>) throws(HTTPTypesConversionError) {
        guard lines.count <= Self.maximumCount else { throw .tooManyFields(lines.count) }
        self.init()
        for line in lines {
            guard let name = HTTPTypes.HTTPField.Name(line.name) else { throw .invalidFieldName(line.name) }
            guard HTTPTypes.HTTPField.isValidValue(line.value) else { throw .invalidFieldValue(name: line.name) }
            append(HTTPTypes.HTTPField(name: name, value: line.value))
        }
    }

    /// Makes a list of header fields, in order.
    ///
    /// - Throws: ``HTTPTypesConversionError``, as for field lines.
    public init(_ headers: HTTPHeaders) throws(HTTPTypesConversionError) {
        try self.init(headers.map { MoyaTransport.HTTPField(name: $0.name, value: $0.value) })
    }

    /// Makes a list of received fields, whose names are tokens; invalid values are repaired.
    init(received lines: [MoyaTransport.HTTPField]) {
        self.init()
        for line in lines.prefix(Self.maximumCount) {
            guard let name = HTTPTypes.HTTPField.Name(line.name) else { continue }
            append(HTTPTypes.HTTPField(name: name, value: line.value))
        }
    }
}

extension Array where Element == MoyaTransport.HTTPField {
    /// Makes field lines from a list, in order and with their original spelling; in values, U+FFFD takes the place of
    /// bytes that are not UTF-8.
    public init(_ fields: HTTPTypes.HTTPFields) {
        self = fields.map { MoyaTransport.HTTPField(name: $0.name.rawName, value: $0.value) }
    }
}

extension MoyaSession.HTTPHeaders {
    /// Makes header fields from a list; values with the same name are joined, those of `Cookie` with a semicolon (RFC
    /// 6265 section 5.4) and all others with a comma (RFC 9110 section 5.3).
    public init(_ fields: HTTPTypes.HTTPFields) {
        self.init()
        for field in fields {
            let name = field.name.rawName
            let separator = field.name == .cookie ? "; " : ", "
            update(name: name, value: value(for: name).map { $0 + separator + field.value } ?? field.value)
        }
    }
}
#endif
