#if HTTPTypes
import MoyaTesting
import MoyaTransport

/// Makes messages that a transport sends, the same ones with every run.
struct RandomMessage {
    private var generator: SeededGenerator

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    mutating func request() -> MoyaTransport.HTTPRequest {
        let methods = ["GET", "POST", "PUT", "DELETE", "PATCH", "QUERY", "get", "M-SEARCH"]
        return MoyaTransport.HTTPRequest(method: pick(methods), url: url(), fields: fields())
    }

    mutating func fields() -> [MoyaTransport.HTTPField] {
        let usual = ["Accept", "accept", "Cookie", "Set-Cookie", "X-Number", "Content-Type", "x-number"]
        return (0..<Int.random(in: 0...6, using: &generator)).map { _ in
            let name = Bool.random(using: &generator) ? pick(usual) : text(1...20, Self.token)
            return MoyaTransport.HTTPField(name: name, value: value())
        }
    }

    private mutating func url() -> String {
        let port = Bool.random(using: &generator) ? ":\(Int.random(in: 1...65_535, using: &generator))" : ""
        let host = pick(["example.com", "EXAMPLE.com", "127.0.0.1", "[::1]", "xn--bcher-kva.example", "a_b.example"])
        let query = Bool.random(using: &generator) ? "?" + text(0...30, Self.urlBytes) : ""
        return pick(["http", "https", "HTTP"]) + "://" + host + port + "/" + text(0...40, Self.urlBytes) + query
    }

    /// Visible text, with space and letters beyond ASCII inside.
    private mutating func value() -> String {
        let (first, last) = (text(0...20, Self.visible), text(1...20, Self.visible))
        return first.isEmpty ? first : first + pick(["", " ", "\t", "é", " 文 "]) + last
    }

    private mutating func pick(_ values: [String]) -> String { values.randomElement(using: &generator) ?? "" }

    private mutating func text(_ lengths: ClosedRange<Int>, _ bytes: [UInt8]) -> String {
        let count = Int.random(in: lengths, using: &generator)
        return String(unsafeUninitializedCapacity: count) { text in
            for index in 0..<count {
                text[index] = bytes[Int(truncatingIfNeeded: generator.next() >> 33) % bytes.count]
            }
            return count
        }
    }

    private static let letters = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789".utf8)
    private static let token = letters + Array("!#$%&'*+-.^_`|~".utf8)
    private static let urlBytes = letters + Array("-._~!$&'()*+,;=:@/[]?".utf8)
    private static let visible = letters + Array("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~".utf8)
}
#endif
