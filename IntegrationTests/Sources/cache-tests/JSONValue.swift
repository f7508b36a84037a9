import Foundation

/// A value of the suite's definitions.
enum JSONValue: Codable, Sendable {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSONValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .number(let value):
            if value == value.rounded(), abs(value) < 1e15 {
                try container.encode(Int64(value))
            } else {
                try container.encode(value)
            }
        case .string(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }

    subscript(name: String) -> JSONValue {
        if case .object(let members) = self { members[name] ?? .null } else { .null }
    }

    /// `true` if an object has a member of that name, even if it is null.
    func has(_ name: String) -> Bool { if case .object(let members) = self { members[name] != nil } else { false } }

    var array: [JSONValue] { if case .array(let value) = self { value } else { [] } }
    var text: String? {
        switch self {
        case .string(let value): value
        case .number(let value): value == value.rounded() ? String(Int64(value)) : String(value)
        default: nil
        }
    }
    var int: Int? { text.flatMap { Int($0) } }
    var isTrue: Bool { if case .bool(true) = self { true } else { false } }
    var isNull: Bool { if case .null = self { true } else { false } }
}

/// A test of the suite.
struct SuiteTest: Sendable {
    let id: String
    let name: String
    let kind: String
    let dependencies: [String]
    /// The requests in the format of the server.
    let requests: [JSONValue]
    /// `true` if the test is for private caches.
    let isForPrivateCaches: Bool

    init(_ definition: JSONValue) {
        id = definition["id"].text ?? ""
        name = definition["name"].text ?? ""
        kind = definition["kind"].text ?? "required"
        dependencies = definition["depends_on"].array.compactMap(\.text)
        let id = id
        requests = definition["requests"].array.map { request in
            guard case .object(var members) = request else { return request }
            members["id"] = .string(id)
            return .object(members)
        }
        isForPrivateCaches = !definition["cdn_only"].isTrue && !definition["browser_skip"].isTrue
    }
}
