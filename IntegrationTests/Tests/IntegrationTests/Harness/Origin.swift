import Foundation
import Moya

/// The control interface of Servers/origin.py: a test calls it directly, also if the tested calls pass a proxy.
struct Origin: Sendable {
    let url: URL
    private let provider = MoyaProvider<Call>()

    init(url: URL) { self.url = url }

    /// A request as it arrived.
    struct Entry: Decodable, Equatable {
        let method: String
        /// The value of its field `If-None-Match`; empty without one.
        let condition: String
        /// The status of the response; 0 while there is none.
        let status: Int
    }

    /// Opens the gate of a word.
    func open(_ key: String) async throws { try await post("open", key) }
    /// Changes the version of the resource with a word.
    func change(_ key: String) async throws { try await post("change", key) }
    /// Makes the resource with a word fail from now on.
    func fail(_ key: String) async throws { try await post("fail", key) }

    private func post(_ verb: String, _ key: String) async throws {
        _ = try await provider.request(Call(baseURL: url, path: "/\(verb)/\(key)", method: .post))
            .filterSuccessfulStatusCodes()
    }

    /// The GET requests with a word.
    func gets(_ key: String) async throws -> [Entry] {
        try await provider.request(.get(url, "/log/\(key)"), as: [Entry].self).filter { $0.method == "GET" }
    }

    /// The counts of the words with a given beginning, once so many requests have come.
    func seen(beginning prefix: String, count: Int = 0) async throws -> [String: Int] {
        try await provider.request(
            .get(url, "/seen", query: ["prefix": prefix, "count": count]), as: [String: Int].self)
    }
}
