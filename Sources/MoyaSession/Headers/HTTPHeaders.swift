package import MoyaTransport

/// Header fields in the order of insertion; one per name, comparing names ignoring case.
///
/// Setting an existing name keeps its position, and replaces its spelling and its value.
public struct HTTPHeaders: Hashable, Sendable {
    private var fields: [HTTPHeader] = []

    /// Makes an empty list.
    public init() {}

    /// Makes a list of fields; the last of equal names counts.
    public init(_ headers: [HTTPHeader]) { self.init(of: headers) }

    /// Makes a list from a dictionary's entries, in the dictionary's order.
    public init(_ dictionary: [String: String]) {
        self.init(of: dictionary.lazy.map { HTTPHeader(name: $0.key, value: $0.value) })
    }

    /// Makes a list of fields; the last of equal names counts.
    init(of headers: some Sequence<HTTPHeader>) {
        fields.reserveCapacity(headers.underestimatedCount)
        var positions = NamePositions()
        for header in headers { _ = update(header, in: &positions) }
    }

    /// Makes a list from field lines; the values of one name are joined with commas (RFC 9110 section 5.3).
    package init(joining lines: [HTTPField]) {
        var positions = NamePositions()
        var values: [String] = []
        for line in lines {
            if let position = update(HTTPHeader(name: line.name, value: ""), in: &positions) {
                values[position] += ", \(line.value)"
            } else {
                values.append(line.value)
            }
        }
        fields = zip(fields, values).map { HTTPHeader(name: $0.name, value: $1) }
    }

    /// Adds a field, or replaces the one with the name.
    public mutating func add(name: String, value: String) { update(HTTPHeader(name: name, value: value)) }

    /// Adds a field, or replaces the one with the name.
    public mutating func add(_ header: HTTPHeader) { update(header) }

    /// Replaces the field with the name, or adds one.
    public mutating func update(name: String, value: String) { update(HTTPHeader(name: name, value: value)) }

    /// Replaces the field with the name, or adds one.
    public mutating func update(_ header: HTTPHeader) {
        if let index = position(of: header.name) {
            fields[index] = header
        } else {
            fields.append(header)
        }
    }

    /// Removes the field with the name, if there is one.
    public mutating func remove(name: String) {
        if let index = position(of: name) { fields.remove(at: index) }
    }

    /// Sorts the fields by lower-cased name.
    public mutating func sort() {
        fields.sort { ASCII.precedes($0.name, $1.name) }
    }

    /// Returns a copy sorted by lower-cased name.
    public func sorted() -> HTTPHeaders {
        var copy = self
        copy.sort()
        return copy
    }

    /// The value of the field with the name.
    public func value(for name: String) -> String? { position(of: name).map { fields[$0].value } }

    /// The value of the field with the name; setting `nil` removes the field.
    public subscript(_ name: String) -> String? {
        get { value(for: name) }
        set {
            if let newValue {
                update(name: name, value: newValue)
            } else {
                remove(name: name)
            }
        }
    }

    /// The fields as a dictionary, without their order.
    public var dictionary: [String: String] {
        var dictionary = [String: String](minimumCapacity: fields.count)
        for field in fields { dictionary[field.name] = field.value }
        return dictionary
    }

    private func position(of name: String) -> Int? {
        fields.firstIndex { ASCII.equalIgnoringCase($0.name, name) }
    }

    /// Replaces the field with the name, and returns its position, or adds one.
    private mutating func update(_ header: HTTPHeader, in positions: inout NamePositions) -> Int? {
        let position =
            fields.count <= NamePositions.few ? position(of: header.name) : positions[header.name, in: fields]
        if let position {
            fields[position] = header
        } else {
            fields.append(header)
        }
        return position
    }

    /// The positions of names in a long list that is being made, where a search would read all of it for each name.
    private struct NamePositions {
        /// The number of fields that are searched faster without a dictionary.
        static let few = 32
        private var positions: [[UInt8]: Int] = [:]

        /// The position of a name in a list, which only grows between two calls.
        subscript(_ name: String, in fields: [HTTPHeader]) -> Int? {
            mutating get {
                for position in positions.count..<fields.count {
                    positions[Self.key(fields[position].name)] = position
                }
                return positions[Self.key(name)]
            }
        }

        private static func key(_ name: String) -> [UInt8] { name.utf8.map(ASCII.lowercased) }
    }
}

extension HTTPHeaders: ExpressibleByDictionaryLiteral {
    /// Makes a list from names and values; the last of equal names counts.
    public init(dictionaryLiteral elements: (String, String)...) {
        self.init(elements.map { HTTPHeader(name: $0.0, value: $0.1) })
    }
}

extension HTTPHeaders: ExpressibleByArrayLiteral {
    /// Makes a list of fields; the last of equal names counts.
    public init(arrayLiteral elements: HTTPHeader...) { self.init(elements) }
}

extension HTTPHeaders: RandomAccessCollection {
    /// The position of the first field.
    public var startIndex: Int { fields.startIndex }

    /// The position after the last field.
    public var endIndex: Int { fields.endIndex }

    /// The field at a position.
    public subscript(position: Int) -> HTTPHeader { fields[position] }
}

extension HTTPHeaders: MaskedDescription {
    /// The field lines, in order, with secrets masked.
    public var description: String { fields.map(\.description).joined(separator: "\n") }
}
