import Foundation
import Moya
import Testing

/// The control interface of Servers/feeds.py: a test calls it directly, also if the tested streams pass a proxy.
struct Feeds: Sendable {
    let url: URL
    private let provider = MoyaProvider<Call>()

    init(url: URL) { self.url = url }

    /// Lets one event of a word through.
    func pass(_ key: String) async throws {
        _ = try await provider.request(Call(baseURL: url, path: "/pass/\(key)", method: .post))
            .filterSuccessfulStatusCodes()
    }

    /// The number of bytes that the server of a word's flood has got rid of.
    func written(_ key: String) async throws -> Int {
        Int(try await provider.request(.get(url, "/written/\(key)")).mapString()) ?? 0
    }

    /// Waits until the flood of a word is over.
    func waitForEnd(_ key: String) async throws { _ = try await provider.request(.get(url, "/ended/\(key)")) }
}

/// A server of feeds, as a client sees it.
enum FeedFront: String, CaseIterable, Sendable, CustomTestStringConvertible {
    /// uvicorn itself, HTTP/1.1.
    case direct = "uvicorn"
    /// nginx before it, HTTP/1.1.
    case http1 = "nginx, HTTP/1.1"
    /// The same, its responses coded by gzip.
    case http1Coded = "nginx, HTTP/1.1, gzip"
    /// nginx before it, HTTP/2 over TLS.
    case http2 = "nginx, HTTP/2"
    /// The same, its responses coded by gzip.
    case http2Coded = "nginx, HTTP/2, gzip"

    var testDescription: String { rawValue }

    /// The protocol that it speaks, as ALPN spells it.
    var protocolName: String { self == .http2 || self == .http2Coded ? "h2" : "http/1.1" }

    /// `true` if responses are coded.
    var isCoded: Bool { self == .http1Coded || self == .http2Coded }

    /// The URL below which the feeds are.
    func url(_ servers: Servers) -> URL {
        switch self {
        case .direct: servers.feeds.url
        case .http1: servers.nginx.appendingPathComponent("feeds")
        case .http1Coded: servers.nginx.appendingPathComponent("gzip-feeds")
        case .http2: servers.nginxTLS.appendingPathComponent("feeds")
        case .http2Coded: servers.nginxTLS.appendingPathComponent("gzip-feeds")
        }
    }
}
