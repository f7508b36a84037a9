import Foundation

extension URLEncoding {
    /// The pairs, percent-encoded, that a value makes under a name.
    ///
    /// Dictionaries and arrays make a pair for each value in them, in ascending order of keys and in order of elements.
    public func queryComponents(fromKey key: String, value: Any) -> [(String, String)] {
        var components: [(String, String)] = []
        append(value, under: key) { components.append((escape($0), escape($1))) }
        return components
    }

    /// The text with all but ASCII letters, digits and `-._~/?` percent-encoded in UTF-8.
    public func escape(_ string: String) -> String { PercentEncoding.query.encode(string) }

    func query(of parameters: Parameters) -> String {
        var query = ""
        for (key, value) in parameters.sorted(by: { $0.key < $1.key }) {
            append(value, under: key) { key, text in
                if !query.isEmpty { query.append("&") }
                query.append(escape(key))
                query.append("=")
                query.append(escape(text))
            }
        }
        return query
    }

    private func append(_ value: Any, under key: String, to write: (_ key: String, _ text: String) -> Void) {
        switch ParameterValue(value) {
        case .none: break
        case .bool(let bool): write(key, boolEncoding.encode(bool))
        case .text(let text): write(key, text)
        case .array(let elements):
            for (index, element) in elements.enumerated() {
                append(element, under: arrayEncoding.encode(key, at: index), to: write)
            }
        case .dictionary(let entries):
            for (name, value) in entries.sorted(by: { $0.key < $1.key }) {
                append(value, under: "\(key)[\(name)]", to: write)
            }
        }
    }
}
