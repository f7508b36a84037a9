#if os(Linux)
import Foundation
import MoyaTransport

@testable import MoyaTesting

/// A server of OpenSSL with a certificate of an authority.
///
/// With the option `-www` it answers every request. Otherwise it prints what it receives, and sends what is written to
/// it; a line that begins with `r` starts a renegotiation.
final class TLSServer: Sendable {
    private struct Output {
        var text = ""
        var isOver = false
    }

    private let output = Watched(Output())
    private let authority: TestAuthority
    private let input: Int32
    private let process: pid_t
    let url: String

    struct Ended: Error { let text: String }

    init(_ authority: TestAuthority, certificate: String, options: String) async throws {
        self.authority = authority
        // Opened for reading and writing, a pipe neither waits for its other side nor ends.
        let pipe = authority.folder[UUID().uuidString]
        guard mkfifo(pipe, 0o600) == 0, case let input = open(pipe, O_RDWR | O_CLOEXEC), input >= 0 else {
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
        }
        self.input = input
        let command = """
            cd '\(authority.folder.path)' && echo $$ && exec timeout -s KILL 120 openssl s_server -accept 127.0.0.1:0 \
            -cert \(certificate).pem -key \(certificate).key \(options) <>'\(pipe)' 2>&1
            """
        guard let stream = popen(command, "r") else {
            close(input)
            throw Ended(text: "")
        }
        let output = output
        nonisolated(unsafe) let source = stream
        Thread.detachNewThread {
            var line = [CChar](repeating: 0, count: 1024)
            while fgets(&line, Int32(line.count), source) != nil {
                let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
                output.update { $0.text += text }
            }
            output.update { $0.isOver = true }
            pclose(source)
        }
        let start = try await Self.wait(for: "ACCEPT 127.0.0.1:", in: output)
        let lines = start.split(separator: "\n")
        process = lines.first.flatMap { pid_t($0) } ?? 0
        url = "https://127.0.0.1:" + (lines.last?.split(separator: ":").last ?? "")
    }

    deinit {
        // The whole group of `timeout`, with a signal that the thread that started it cannot have blocked for it.
        if process > 0 { kill(-process, SIGKILL) }
        close(input)
    }

    func request(_ target: String = "/") -> HTTPRequest { HTTPRequest(method: "GET", url: url + target) }

    /// Sends text to the client, or gives a command.
    func write(_ text: String) {
        _ = Array(text.utf8).withUnsafeBytes { Glibc.write(input, $0.baseAddress, $0.count) }
    }

    /// Waits until the server has printed a line with this text.
    func wait(for text: String) async throws { try await Self.wait(for: text, in: output) }

    @discardableResult
    private static func wait(for text: String, in output: Watched<Output>) async throws -> String {
        let result = try await output.when { output in
            output.isOver || output.text.split(separator: "\n").contains { $0.contains(text) }
        }
        guard !result.isOver else { throw Ended(text: result.text) }
        return result.text
    }
}

/// A trust policy as a closure.
struct JudgedTrust: TransportTrustPolicy {
    let judge: @Sendable (PresentedServerTrust) throws -> Void

    func evaluate(_ server: PresentedServerTrust) throws { try judge(server) }
}
#endif
