import Foundation
import FoundationNetworking
import Moya
import MoyaSession

/// A value with a given nesting depth.
private indirect enum Nested: Encodable, Sendable {
    case leaf
    case list(Nested)
    case object(Nested)

    init(depth: Int, isObject: Bool) {
        self = .leaf
        for _ in 0..<depth { self = isObject ? .object(self) : .list(self) }
    }

    func encode(to encoder: any Encoder) throws {
        switch self {
        case .leaf:
            var container = encoder.singleValueContainer()
            try container.encode(1)
        case .list(let value):
            var container = encoder.unkeyedContainer()
            try container.encode(value)
        case .object(let value):
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(value, forKey: .a)
        }
    }

    enum Key: CodingKey { case a }
}

/// Retains a value forever, because the deallocation of a deep value recurses outside the package's code.
private final class Kept {
    let value: Any

    init(_ value: Any) { self.value = value }
}

/// Lists or objects in each other, around a number.
struct Deep: Decodable {
    init(from decoder: any Decoder) throws {
        if var list = try? decoder.unkeyedContainer() {
            while !list.isAtEnd { _ = try list.decode(Deep.self) }
        } else if let object = try? decoder.container(keyedBy: Nested.Key.self) {
            _ = try object.decode(Deep.self, forKey: .a)
        } else {
            _ = try decoder.singleValueContainer().decode(Int.self)
        }
    }
}

extension AttackCommand {
    /// Passes deeply nested input to encoders, decoders and masks, on a stack of 512 KiB, as for a thread on Darwin.
    @Sendable static func nest(_ order: Order) async throws -> String {
        let (name, depth, isObject) = (order.name ?? "", order.count ?? 0, order.place == "objects")
        return await withCheckedContinuation { continuation in
            let thread = Thread { continuation.resume(returning: nested(name, depth, isObject)) }
            thread.stackSize = 512 << 10
            thread.start()
        }
    }

    private static func nested(_ name: String, _ depth: Int, _ isObject: Bool) -> String {
        do {
            return "ended with \(try result(of: name, depth, isObject))"
        } catch {
            return words(error)
        }
    }

    private static func result(of name: String, _ depth: Int, _ isObject: Bool) throws -> String {
        let url = URL(fileURLWithPath: "/")
        let (opening, closing) = isObject ? (#"{"a":"#, "}") : ("[", "]")
        func text() -> String {
            String(repeating: opening, count: depth) + "1" + String(repeating: closing, count: depth)
        }
        func response() -> Moya.Response { Moya.Response(statusCode: 200, data: Data(text().utf8)) }
        func parameters() -> [String: any Sendable] {
            var value: any Sendable = 1
            for _ in 0..<depth { value = isObject ? ["a": value] as [String: any Sendable] : [value] }
            _ = Unmanaged.passRetained(Kept(value))
            return ["p": value]
        }
        func encodable() -> Nested {
            let value = Nested(depth: depth, isObject: isObject)
            _ = Unmanaged.passRetained(Kept(value))
            return value
        }
        let request = URLRequest(url: url, cachePolicy: .useProtocolCachePolicy)
        var posted = request
        posted.httpMethod = "POST"
        switch name {
        case "URLEncoding":
            return size(try URLEncoding.default.encode(request, with: parameters()).url?.absoluteString.utf8.count)
        case "URLEncoding.httpBody":
            return size(try URLEncoding.httpBody.encode(posted, with: parameters()).httpBody?.count)
        case "JSONEncoding": return size(try JSONEncoding.default.encode(posted, with: parameters()).httpBody?.count)
        case "JSONEncoding.object":
            return size(try JSONEncoding.default.encode(posted, withJSONObject: parameters()).httpBody?.count)
        case "URLEncodedFormParameterEncoder":
            return size(
                try URLEncodedFormParameterEncoder.default.encode(["p": encodable()], into: posted).httpBody?.count)
        case "JSONParameterEncoder":
            return size(try JSONParameterEncoder.default.encode(["p": encodable()], into: posted).httpBody?.count)
        case "JSONParameterEncoder.sortedKeys":
            return size(try JSONParameterEncoder.sortedKeys.encode(["p": encodable()], into: posted).httpBody?.count)
        case "JSONParameterEncoder.foundation":
            let encoder = JSONParameterEncoder(encoder: JSONEncoder())
            return size(try encoder.encode(["p": encodable()], into: posted).httpBody?.count)
        case "Endpoint.snakeCase":
            let encoder = JSONEncoder.moyaDefault
            encoder.keyEncodingStrategy = .convertToSnakeCase
            let endpoint = Endpoint(
                url: "http://a.test/", sampleResponseClosure: { .networkResponse(200, Data()) }, method: .post,
                task: .requestCustomJSONEncodable(["p": encodable()], encoder: encoder), httpHeaderFields: nil)
            return size(try endpoint.urlRequest().httpBody?.count)
        case "Endpoint":
            let endpoint = Endpoint(
                url: "http://a.test/", sampleResponseClosure: { .networkResponse(200, Data()) }, method: .post,
                task: .requestParameters(parameters: parameters(), encoding: JSONEncoding.default),
                httpHeaderFields: nil)
            return size(try endpoint.urlRequest().httpBody?.count)
        case "Endpoint.encodable":
            let endpoint = Endpoint(
                url: "http://a.test/", sampleResponseClosure: { .networkResponse(200, Data()) }, method: .post,
                task: .requestJSONEncodable(["p": encodable()]), httpHeaderFields: nil)
            return size(try endpoint.urlRequest().httpBody?.count)
        case "mapJSON": return "\(type(of: try response().mapJSON()) == Never.self ? "nothing" : "JSON")"
        case "map": return "\(type(of: try response().map(Deep.self)))"
        case "propertyList":
            let (opening, closing) = isObject ? ("<dict><key>a</key>", "</dict>") : ("<array>", "</array>")
            let levels =
                String(repeating: opening, count: depth) + "<integer>1</integer>"
                + String(repeating: closing, count: depth)
            let value = try DecodableResponseSerializer<Deep>(decoder: PropertyListDecoder()).serialize(
                request: nil, response: nil, data: Data("<plist version=\"1.0\">\(levels)</plist>".utf8), error: nil)
            return "\(type(of: value))"
        case "map.keyPath":
            let path = [String](repeating: "a", count: depth).joined(separator: ".")
            return "\(try response().map(Int.self, atKeyPath: path))"
        case "map.missingKeyPath": return "\(try response().map(Int.self, atKeyPath: "b"))"
        case "mapString.keyPath": return try response().mapString(atKeyPath: "a.a.a.a")
        case "log": return size(logged(text()).count)
        case "log.xml":
            return size(
                logged(
                    String(repeating: "<a>", count: depth) + "<pin>1</pin>" + String(repeating: "</a>", count: depth)
                )
                .count)
        case "log.strings":
            // Each level of JSON within a string doubles the escapes, so a few levels need many bytes.
            var inner = #"{"pin":"1234"}"#
            for _ in 0..<min(depth, 16) {
                inner = #"{"a":""# + inner.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\"}"
            }
            return size(logged(inner).count)
        default: return "an unknown name"
        }
    }

    private static func size(_ count: Int?) -> String { (count ?? 0) > 0 ? "bytes" : "nothing" }

    /// The log of a response by the plugin.
    private static func logged(_ body: String) -> String {
        let items = Collected()
        let plugin = NetworkLoggerPlugin(
            configuration: .init(output: { _, lines in items.append(lines) }, logOptions: .verbose))
        plugin.didReceive(
            .success(
                Moya.Response(
                    statusCode: 200, data: Data(body.utf8),
                    response: HTTPURLResponse(
                        url: URL(fileURLWithPath: "/"), statusCode: 200, httpVersion: nil, headerFields: [:]))),
            target: OrderedTarget(baseURL: URL(fileURLWithPath: "/")))
        return items.text
    }
}

/// Texts that several threads append to.
///
/// `@unchecked`: the lock protects the texts.
final class Collected: @unchecked Sendable {
    private let lock = NSLock()
    private var items: [String] = []

    func append(_ more: [String]) { lock.withLock { items += more } }

    var text: String { lock.withLock { items.joined(separator: "\n") } }
}
