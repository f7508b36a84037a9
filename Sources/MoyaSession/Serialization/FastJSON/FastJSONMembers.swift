#if FastJSON
import Foundation
import yyjson

/// The members of an object, of which the first with a name counts.
enum FastJSONMembers {
    /// The most members that are compared one after the other.
    private static let maximumListed = 24

    /// Few members, whose names are ASCII and as they are in the document.
    case listed(FastJSONNode)
    /// Values by name, in Unicode's canonical equivalence.
    case indexed([String: FastJSONNode])

    init(of object: FastJSONNode, in document: FastJSONDocument, keepsKeys: Bool) {
        let converts = document.strategies.convertsFromSnakeCase && !keepsKeys
        if !converts, object.count <= Self.maximumListed, Self.hasASCIINames(object) {
            self = .listed(object)
        } else {
            self = .indexed(Self.index(object) { converts ? document.camelCase(of: $0) : $0 })
        }
    }

    /// The value of a name.
    subscript(name: String) -> FastJSONNode? {
        switch self {
        case .indexed(let values): return values[name]
        case .listed(let object):
            var name = name
            return name.withUTF8 { name in
                var key = object.first
                for _ in 0..<object.count {
                    let text = key.text
                    if text.count == name.count,
                        name.isEmpty || memcmp(text.baseAddress!, name.baseAddress!, name.count) == 0
                    {
                        return key + 1
                    }
                    key = (key + 1).next
                }
                return nil
            }
        }
    }

    /// The names, each once.
    var names: some Collection<String> {
        switch self {
        case .indexed(let values): values.keys
        case .listed(let object): Self.index(object) { $0 }.keys
        }
    }

    private static func hasASCIINames(_ object: FastJSONNode) -> Bool {
        var key = object.first
        for _ in 0..<object.count {
            // A fold over few bytes, which the compiler vectorizes.
            guard key.text.reduce(0, |) < 0x80 else { return false }
            key = (key + 1).next
        }
        return true
    }

    private static func index(_ object: FastJSONNode, by name: (String) -> String) -> [String: FastJSONNode] {
        var values: [String: FastJSONNode] = [:]
        values.reserveCapacity(object.count)
        var key = object.first
        for _ in 0..<object.count {
            let value = key + 1
            let name = name(key.string)
            if let first = values.updateValue(value, forKey: name) { values[name] = first }
            key = value.next
        }
        return values
    }
}
#endif
