import Foundation
import Moya

/// Servers/origin.py, as a test steers it: directly, whatever stands before it for the calls that are tested.
struct Origin: Sendable {
    let url: URL
    private let provider = MoyaProvider<Call>()

    init(url: URL) { self.url = url }

    /// A request as it arrived.
    struct Entry: Decodable, Equatable {
        let method: String
        /// The value of its field `If-None-Match`; empty where it has none.
        let condition: String
        /// The status of the answer; 0 while there is none.
        let status: Int
    }

    /// Opens the gate of a word.
    func open(_ key: String) async throws { try await post("open", key) }
    /// Makes what is cached under a word another version.
    func change(_ key: String) async throws { try await post("change", key) }
    /// Makes what is cached under a word fail from now on.
    func fail(_ key: String) async throws { try await post("fail", key) }

    private func post(_ verb: String, _ key: String) async throws {
        _ = try await provider.request(Call(baseURL: url, path: "/\(verb)/\(key)", method: .post))
            .filterSuccessfulStatusCodes()
    }

    /// The GET requests that came with a word.
    func gets(_ key: String) async throws -> [Entry] {
        try await provider.request(.get(url, "/log/\(key)"), as: [Entry].self).filter { $0.method == "GET" }
    }

    /// The counts of the words with a given beginning, once so many requests have come.
    func seen(beginning prefix: String, count: Int = 0) async throws -> [String: Int] {
        try await provider.request(
            .get(url, "/seen", query: ["prefix": prefix, "count": count]), as: [String: Int].self)
    }
}
