/// Writes encoded values as pairs.
struct FormRenderer {
    let options: URLEncodedFormEncoder

    /// The pairs of a root; `nil` if it has no names for pairs.
    func pairs(of root: FormComponent) -> String? {
        switch root {
        case .none: ""
        case .object(let object): pairs(of: object, under: nil) ?? ""
        case .deferred(let encoder): pairs(of: encoder.component)
        case .text, .array: nil
        }
    }

    /// The pairs of a component; `nil` if there are none.
    private func pairs(of component: FormComponent, under path: String) -> String? {
        switch component {
        case .none:
            return nil
        case .text(let text):
            var pair: [UInt8] = []
            pair.reserveCapacity(path.utf8.count + text.utf8.count + 16)
            options.percentEncoding.append(options.keyEncoding.encode(path), to: &pair)
            pair.append(UInt8(ascii: "="))
            options.percentEncoding.append(text, to: &pair)
            return String(decoding: pair, as: UTF8.self)
        case .array(let array):
            var pairs: [String] = []
            for element in array.elements {
                // A value without pairs uses no index.
                let path = options.arrayEncoding.encode(path, at: pairs.count)
                if let pair = self.pairs(of: element, under: path) { pairs.append(pair) }
            }
            return join(pairs)
        case .object(let object):
            return pairs(of: object, under: path)
        case .deferred(let encoder):
            return pairs(of: encoder.component, under: path)
        }
    }

    private func pairs(of object: FormObject, under path: String?) -> String? {
        join(
            object.entries.compactMap { key, component in
                pairs(of: component, under: path.map { options.keyPathEncoding.encode(key, in: $0) } ?? key)
            })
    }

    private func join(_ pairs: [String]) -> String? {
        if pairs.isEmpty { return nil }
        return (options.alphabetizeKeyValuePairs ? pairs.sorted() : pairs).joined(separator: "&")
    }
}
