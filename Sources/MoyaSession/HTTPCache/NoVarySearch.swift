import MoyaTransport

/// The part of a URL's query that does not affect a response: the field `No-Vary-Search`
/// (draft-ietf-httpbis-no-vary-search).
struct NoVarySearch: Sendable, Hashable {
    /// A decoded name or value in UTF-8: equal strings may consist of different characters, such as "é" and "e" with
    /// an accent.
    fileprivate typealias Bytes = [UInt8]

    private enum Names: Sendable, Hashable {
        /// Every parameter counts except these.
        case allBut(Set<Bytes>)
        /// Only these parameters count.
        case noneBut(Set<Bytes>)
    }

    private var counted = Names.allBut([])
    private var ignoresOrder = false

    /// Parses the fields of a response; `nil` if the whole query counts, as without the field and with a malformed one.
    init?(_ fields: [HTTPField]) {
        guard fields.contains("no-vary-search"),
            let members = StructuredDictionary(fields.values(for: "no-vary-search").joined(separator: ", "))
        else { return nil }
        switch members["key-order"] {
        case nil: break
        case .boolean(let isIgnored)?: ignoresOrder = isIgnored
        default: return nil
        }
        switch members["params"] {
        case nil: break
        case .boolean(true)?: counted = .noneBut([])
        case .boolean(false)?: break
        case .list(let names)?:
            guard let names = Self.decoded(names) else { return nil }
            counted = .allBut(names)
        default: return nil
        }
        if let except = members["except"] {
            guard members["params"] == .boolean(true), case .list(let list) = except, let names = Self.decoded(list)
            else {
                return nil
            }
            counted = .noneBut(names)
        }
        if counted == .allBut([]), !ignoresOrder { return nil }
    }

    private static func decoded(_ names: [String?]) -> Set<Bytes>? {
        var decoded: Set<Bytes> = []
        for name in names {
            guard let name else { return nil }
            decoded.insert(self.decoded(Array(name.utf8)[...]))
        }
        return decoded
    }

    /// The part of a URL that counts: two URLs have the same response if these bytes are the same.
    func form(of url: String) -> [UInt8] { form(of: ParsedURL(url)) }

    fileprivate func form(of url: ParsedURL) -> [UInt8] {
        var parameters = url.parameters.filter { name, _ in
            switch counted {
            case .allBut(let names): !names.contains(name)
            case .noneBut(let names): names.contains(name)
            }
        }
        if ignoresOrder {
            // Parameters with the same name keep their order.
            parameters = parameters.enumerated().sorted { one, other in
                one.element.name == other.element.name
                    ? one.offset < other.offset
                    : one.element.name.lexicographicallyPrecedes(other.element.name)
            }.map(\.element)
        }
        var form = url.path
        for (name, value) in parameters {
            // UTF-8 does not contain the separator.
            form.append(0xFF)
            form += name
            form.append(0xFF)
            form += value
        }
        return form
    }

    /// The part of a URL before its query.
    static func path(of url: String) -> Substring {
        url[..<(url.utf8.firstIndex(of: UInt8(ascii: "?")) ?? url.endIndex)]
    }

    /// A URL whose query is parsed as a form (`application/x-www-form-urlencoded`).
    fileprivate struct ParsedURL {
        let path: Bytes
        private(set) var parameters: [(name: Bytes, value: Bytes)] = []

        init(_ url: String) {
            let parts = Array(url.utf8).split(
                separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
            path = Array(parts[0])
            guard parts.count > 1 else { return }
            for part in parts[1].split(separator: UInt8(ascii: "&")) {
                let pair = part.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
                parameters.append((decoded(pair[0]), pair.count > 1 ? decoded(pair[1]) : []))
            }
        }
    }

    /// A text without plus signs and percent encoding; invalid UTF-8 becomes replacement characters.
    private static func decoded(_ text: ArraySlice<UInt8>) -> Bytes {
        var bytes: Bytes = []
        bytes.reserveCapacity(text.count)
        var index = text.startIndex
        while index < text.endIndex {
            let byte = text[index]
            index += 1
            if byte == UInt8(ascii: "+") {
                bytes.append(0x20)
            } else if byte == UInt8(ascii: "%"), let value = ASCII.byte(ofHexDigits: text[index...]) {
                bytes.append(value)
                index += 2
            } else {
                bytes.append(byte)
            }
        }
        return Bytes(String(decoding: bytes, as: UTF8.self).utf8)
    }
}

/// The URL of a request, whose forms are each computed once for all the stored responses.
struct ComparedURL {
    let text: String
    private lazy var parsed = NoVarySearch.ParsedURL(text)
    private var forms: [NoVarySearch: [UInt8]] = [:]

    init(_ text: String) { self.text = text }

    /// The part of the URL that counts for a rule.
    mutating func form(by rule: NoVarySearch) -> [UInt8] {
        if let form = forms[rule] { return form }
        let form = rule.form(of: parsed)
        forms[rule] = form
        return form
    }
}
