/// Header fields in order, with their exact spelling and with duplicates.
///
/// ```swift
/// let fields: LoopbackFields = ["Set-Cookie": "a=1", "Set-Cookie": "b=2"]
/// fields["set-cookie"]            // "a=1"
/// fields.values(for: "SET-COOKIE") // ["a=1", "b=2"]
/// ```
public struct LoopbackFields: Sendable, Hashable, RandomAccessCollection, ExpressibleByDictionaryLiteral {
    /// One header field line.
    public struct Field: Sendable, Hashable, CustomStringConvertible {
        /// The name in its original spelling.
        public var name: String
        /// The value, without surrounding white space.
        public var value: String

        /// Makes a field line.
        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }

        /// The line as sent, without its line end.
        public var description: String { "\(name): \(value)" }
    }

    private var lines: [Field]

    /// Makes fields from lines.
    public init(_ lines: [Field] = []) {
        self.lines = lines
    }

    /// Makes fields from names and values, in the order in which they are written.
    public init(dictionaryLiteral elements: (String, String)...) {
        lines = elements.map { Field($0, $1) }
    }

    /// The position of the first line.
    public var startIndex: Int { lines.startIndex }
    /// The position after the last line.
    public var endIndex: Int { lines.endIndex }
    /// The line at a position.
    public subscript(position: Int) -> Field { lines[position] }

    /// The value of the first line with a name, ignoring case.
    public subscript(name: String) -> String? { values(for: name).first }

    /// The values of all lines with a name, ignoring case, in order.
    public func values(for name: String) -> [String] {
        lines.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
    }

    /// Adds a line at the end.
    public mutating func append(_ name: String, _ value: String) {
        lines.append(Field(name, value))
    }

    /// `true` if a field with that name lists a token, such as `close` in `Connection` (RFC 9110 section 5.6.1).
    func lists(_ token: String, in name: String) -> Bool {
        values(for: name).contains { value in
            value.split(separator: ",").contains { element in
                element.drop { $0 == " " || $0 == "\t" }.prefix { $0 != ";" && $0 != " " && $0 != "\t" }.lowercased()
                    == token
            }
        }
    }
}
