import Foundation

extension URLEncoding {
    /// The percent-encoded pairs of a value under a name.
    ///
    /// Dictionaries and arrays give a pair for each value in them, in ascending order of keys and in order of elements.
    /// Values nested deeper than ``NestingError/deepest`` give none.
    public func queryComponents(fromKey key: String, value: Any) -> [(String, String)] {
        var components: [(String, String)] = []
        try? append(value, under: key, depth: 0) { components.append((escape($0), escape($1))) }
        return components
    }

    /// The text percent-encoded in UTF-8, except ASCII letters, digits and `-._~/?`.
    public func escape(_ string: String) -> String { PercentEncoding.query.encode(string) }

    func query(of parameters: Parameters) throws(NestingError) -> String {
        let encoding = PercentEncoding.query
        var query: [UInt8] = []
        query.reserveCapacity(parameters.count * 24)
        for (key, value) in parameters.sorted(by: { $0.key < $1.key }) {
            try append(value, under: key, depth: 0) { key, text in
                if !query.isEmpty { query.append(UInt8(ascii: "&")) }
                encoding.append(key, to: &query)
                query.append(UInt8(ascii: "="))
                encoding.append(text, to: &query)
            }
        }
        return String(decoding: query, as: UTF8.self)
    }

    private func append(
        _ value: Any, under key: String, depth: Int, to write: (_ key: String, _ text: String) -> Void
    ) throws(NestingError) {
        guard depth <= NestingError.deepest else { throw NestingError() }
        let usual = ParameterValue(usual: value)
        // Checked without recursion: Foundation's casts may descend into a value before this does.
        if depth == 0, usual == nil { try NestingError.check(value) }
        switch usual ?? ParameterValue(value) {
        case .none: break
        case .bool(let bool): write(key, boolEncoding.encode(bool))
        case .text(let text): write(key, text)
        case .array(let elements):
            for (index, element) in elements.enumerated() {
                try append(element, under: arrayEncoding.encode(key, at: index), depth: depth + 1, to: write)
            }
        case .dictionary(let entries):
            for (name, value) in entries.sorted(by: { $0.key < $1.key }) {
                try append(value, under: key + "[" + name + "]", depth: depth + 1, to: write)
            }
        }
    }
}
