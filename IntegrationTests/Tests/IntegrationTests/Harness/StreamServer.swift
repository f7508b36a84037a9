import Foundation
import Testing

/// An HTTP/2 server that misbehaves as a test scripts: Servers/streams.py, at 127.0.0.1 and ::1; it ends with this
/// object.
final class StreamServer: Sendable {
    private let port: Int
    private let conversation: Conversation

    /// Starts the server with a certificate of the run's authority: that of nginx, which names both addresses, or another.
    init(of servers: Servers, certificate: String = "server") async throws {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../../Servers/streams.py").standardized
        let file = servers.certificateAuthority.deletingLastPathComponent().appendingPathComponent(certificate)
        conversation = try Conversation(["python3", script.path, "\(file.path).pem", "\(file.path).key"])
        let words = try await conversation.answer { _ in true }.split(separator: " ")
        port = try #require(words.last.flatMap { Int($0) })
    }

    /// The server at a host, as it is spelled in a URL.
    func url(at host: String = "127.0.0.1") throws -> URL { try #require(URL(string: "https://\(host):\(port)/")) }

    /// Changes the treatment of streams: `silence`, `reset 0`.
    func set(_ line: String) async throws {
        let answer = try await conversation.request(line)
        try #require(answer == line)
    }
}
