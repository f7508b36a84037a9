#if os(Linux)
import Foundation
import MoyaCurl
import MoyaTesting
import MoyaTransport
import TransportConformance

extension CurlTransport {
    /// A transport on a dedicated thread, so that tests do not wait for each other.
    static func separate(_ configuration: TransportConfiguration = TransportConfiguration()) -> CurlTransport {
        CurlTransport(configuration: configuration, loop: CurlLoop(name: "test"))
    }

    /// Returns when the loop has dealt with every earlier command: commands keep their order.
    func settle() async throws {
        let recording = try await run(HTTPRequest(method: "GET", url: "gopher://127.0.0.1/"))
        guard recording.kind == .unsupported else { throw TestSupportError.timedOut("the refusal of gopher") }
    }
}

extension LoopbackServer {
    /// A server that answers every request with these bytes and then closes.
    static func closing(after answer: some Sequence<UInt8> & Sendable) async throws -> LoopbackServer {
        let answer = [UInt8](answer)
        return try await LoopbackServer { exchange in
            try await exchange.discardBody()
            try await exchange.send(raw: answer)
            exchange.close()
        }
    }

    static func closing(after answer: String) async throws -> LoopbackServer {
        try await closing(after: Array(answer.utf8))
    }
}

/// The events of one GET whose answer is followed by a close.
func recording(of answer: String, to method: String = "GET") async throws -> HeardEvents {
    try await recording(ofBytes: Array(answer.utf8), to: method)
}

func recording(ofBytes answer: [UInt8], to method: String = "GET") async throws -> HeardEvents {
    let server = try await LoopbackServer.closing(after: answer)
    return try await CurlTransport.separate().run(server.request(method))
}

/// `true` if a condition is true in one of ten attempts.
///
/// A busy machine is late occasionally; a fault is late every time.
func holdsInOneOfTenTries(_ holds: () async throws -> Bool) async throws -> Bool {
    for _ in 0..<10 where try await holds() { return true }
    return false
}
#endif
