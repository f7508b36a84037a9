public import Foundation

/// The servers, good and bad, that `Scripts/with-servers` started, and nginx's log of them.
public struct TrustServers: Sendable {
    /// The output of make-trust-certificates.sh.
    public let certificates: URL
    private let port: Int
    private let portOfTLS12: Int
    private let log: URL
    private let handshakes: URL

    /// The servers of this run, `nil` if there are none.
    public static let running = TrustServers(environment: ProcessInfo.processInfo.environment)

    private init?(environment: [String: String]) {
        guard
            let certificates = environment["MOYA_TRUST_CERTIFICATES"],
            let port = environment["MOYA_TRUST_PORT"].flatMap(Int.init),
            let portOfTLS12 = environment["MOYA_TRUST_TLS12_PORT"].flatMap(Int.init),
            let log = environment["MOYA_TRUST_LOG"],
            let handshakes = environment["MOYA_TRUST_HANDSHAKES"]
        else { return nil }
        self.certificates = URL(fileURLWithPath: certificates)
        self.port = port
        self.portOfTLS12 = portOfTLS12
        self.log = URL(fileURLWithPath: log)
        self.handshakes = URL(fileURLWithPath: handshakes)
    }

    /// The URL of a file at a server's host.
    public func url(at host: String, tls: TLS = .v13, mark: String) -> URL {
        var components = URLComponents()
        components.scheme = "https"
        components.host = host
        components.port = tls == .v12 ? portOfTLS12 : port
        components.path = "/static/small.json"
        components.query = "m=\(mark)"
        return components.url ?? certificates
    }

    /// The content of a file beside the certificates: `root.pem`, `servers/expired.pem`.
    public func file(_ name: String) throws -> Data {
        try Data(contentsOf: certificates.appendingPathComponent(name))
    }

    /// The only version of TLS that a server supports.
    public enum TLS: String, Sendable {
        /// TLS 1.2.
        case v12 = "1.2"
        /// TLS 1.3.
        case v13 = "1.3"
    }

    // MARK: Observations of the servers

    /// The number of request bytes that reached a server, without requests with the mark; at least one for each line.
    ///
    /// nginx writes a line as soon as one byte of a request has come, and counts the bytes of whole requests.
    func requestBytes(of server: String, ignoring mark: String) -> Int {
        var bytes = 0
        for line in lines(of: log) {
            let words = line.split(separator: " ")
            guard words.count >= 5, words[1] == "\(server).localhost", !words[4].contains(mark) else { continue }
            bytes += max(1, Int(words[2]) ?? 1)
        }
        return bytes
    }

    /// The number of requests with the mark that reached any server.
    public func requests(marked mark: String) -> Int {
        lines(of: log).filter { $0.contains(mark) }.count
    }

    /// The number of failed handshakes.
    func refusedHandshakes() -> Int {
        lines(of: handshakes).filter { $0.contains("while SSL handshaking") }.count
    }

    private func lines(of file: URL) -> [Substring] {
        ((try? String(contentsOf: file, encoding: .utf8)) ?? "").split(separator: "\n")
    }
}
