import Foundation
import Testing

/// A server that a test starts and ends itself, through Servers/keep.py; it ends with this object.
final class KeptServer: Sendable {
    /// The address while it runs.
    let url: URL
    /// The same over TLS, where it has both.
    let tlsURL: URL?
    private let keeper: Conversation

    /// The description of one by Scripts/with-servers.
    struct Description: Decodable, Sendable {
        let command: [String]
        let url: URL
        let tlsURL: URL?
    }

    /// Starts the server of a name; no two tests at once may have the same one.
    init(_ name: String, of servers: Servers) async throws {
        let description = try #require(servers.kept[name])
        url = description.url
        tlsURL = description.tlsURL
        keeper = try Conversation(description.command)
        try await start()
    }

    /// Starts it, and waits until it takes connections.
    func start() async throws { try await send("start", expecting: "ready") }

    /// Sends it a signal: `USR1`.
    func signal(_ name: String) async throws { try await send("signal \(name)", expecting: "sent") }

    /// Sends it a signal, and waits until it has ended.
    func stop(_ signal: String) async throws { try await send("stop \(signal)", expecting: "stopped") }

    private func send(_ line: String, expecting answer: String) async throws {
        let given = try await keeper.request(line)
        try #require(given == answer)
    }
}
