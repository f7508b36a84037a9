import Foundation
import MoyaTransport

/// The part of a URL's query that does not affect a response: the field `No-Vary-Search`
/// (draft-ietf-httpbis-no-vary-search).
struct NoVarySearch: Sendable, Equatable {
    /// A decoded name or value in UTF-16 code units: equal strings may consist of different characters, such as "é"
    /// and "e" with an accent.
    private typealias Units = [UInt16]

    private enum Names: Sendable, Equatable {
        /// Every parameter counts except these.
        case allBut(Set<Units>)
        /// Only these parameters count.
        case noneBut(Set<Units>)
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

    private static func decoded(_ names: [String?]) -> Set<Units>? {
        var decoded: Set<Units> = []
        for name in names {
            guard let name else { return nil }
            decoded.insert(self.decoded(name[...]))
        }
        return decoded
    }

    /// `true` if two URLs have the same response.
    func areEquivalent(_ one: String, _ other: String) -> Bool {
        if one == other { return true }
        let (first, second) = (Self.split(one), Self.split(other))
        guard first.path == second.path else { return false }
        let (some, others) = (parameters(of: first.query), parameters(of: second.query))
        return some.count == others.count && zip(some, others).allSatisfy { $0.name == $1.name && $0.value == $1.value }
    }

    /// Splits a URL into the part before its query, and the query.
    static func split(_ url: String) -> (path: Substring, query: Substring) {
        guard let mark = url.utf8.firstIndex(of: UInt8(ascii: "?")) else { return (url[...], "") }
        return (url[..<mark], url[url.utf8.index(after: mark)...])
    }

    /// The parameters that count, parsed as a form (`application/x-www-form-urlencoded`).
    private func parameters(of query: Substring) -> [(name: Units, value: Units)] {
        var parameters: [(name: Units, value: Units)] = []
        for part in query.split(separator: "&") {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = Self.decoded(pair[0])
            switch counted {
            case .allBut(let names) where names.contains(name): continue
            case .noneBut(let names) where !names.contains(name): continue
            default: parameters.append((name, pair.count > 1 ? Self.decoded(pair[1]) : []))
            }
        }
        guard ignoresOrder else { return parameters }
        // Parameters with the same name keep their order.
        return parameters.enumerated().sorted { one, other in
            one.element.name == other.element.name
                ? one.offset < other.offset
                : one.element.name.lexicographicallyPrecedes(other.element.name)
        }.map(\.element)
    }

    /// A text without plus signs and percent encoding; invalid UTF-8 becomes replacement characters.
    private static func decoded(_ text: Substring) -> Units {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "+") {
                bytes.append(0x20)
            } else if byte == UInt8(ascii: "%"), let value = PercentEncoding.byte(ofDigits: rest.prefix(2)) {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return Units(String(decoding: bytes, as: UTF8.self).utf16)
    }
}
