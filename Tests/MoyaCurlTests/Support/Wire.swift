#if os(Linux)
import Foundation
import MoyaCurl
import MoyaTesting
import MoyaTransport

/// An exchange in flight and the events that its sink receives.
struct RunningExchange {
    let exchange: any TransportExchange
    let sink: RecordingSink
}

extension CurlTransport {
    /// A transport on a dedicated thread, so that tests do not wait for each other.
    static func separate(_ configuration: TransportConfiguration = TransportConfiguration()) -> CurlTransport {
        CurlTransport(configuration: configuration, loop: CurlLoop(name: "test"))
    }

    func begin(_ request: HTTPRequest, sink: RecordingSink = RecordingSink()) -> RunningExchange {
        RunningExchange(exchange: start(request, delivering: sink), sink: sink)
    }

    /// Runs an exchange to its end.
    func run(_ request: HTTPRequest, sink: RecordingSink = RecordingSink()) async throws -> Recording {
        let running = begin(request, sink: sink)
        return try await running.sink.waitForEnd()
    }

    /// Returns when the loop has dealt with every earlier command: commands keep their order.
    func settle() async throws {
        let recording = try await run(HTTPRequest(method: "GET", url: "gopher://127.0.0.1/"))
        guard recording.kind == .unsupported else { throw LoopbackError.timedOut("the refusal of gopher") }
    }
}

extension LoopbackServer {
    /// A request to this server.
    func request(
        _ method: String = "GET", _ target: String = "/", _ fields: [(String, String)] = [],
        body: TransportBody = .none, timeouts: Timeouts = Timeouts(),
        reportsSentBytes: Bool = false, collectsMetrics: Bool = false
    ) -> HTTPRequest {
        HTTPRequest(
            method: method, url: "\(url)\(target)", fields: fields.map { HTTPField(name: $0.0, value: $0.1) },
            body: body, timeouts: timeouts, collectsMetrics: collectsMetrics, reportsSentBytes: reportsSentBytes)
    }

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
func recording(of answer: String, to method: String = "GET") async throws -> Recording {
    try await recording(ofBytes: Array(answer.utf8), to: method)
}

func recording(ofBytes answer: [UInt8], to method: String = "GET") async throws -> Recording {
    let server = try await LoopbackServer.closing(after: answer)
    return try await CurlTransport.separate().run(server.request(method))
}

/// So many bytes that no two of their kilobytes are alike.
func patternedBytes(_ count: Int) -> Data {
    var state: UInt64 = 0x9E37_79B9_7F4A_7C15
    let noise = (0..<1_016).map { _ in
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return UInt8(truncatingIfNeeded: state >> 56)
    }
    var bytes = Data(capacity: count + 1_024)
    var number: UInt64 = 0
    while bytes.count < count {
        withUnsafeBytes(of: number) { bytes.append(contentsOf: $0) }
        bytes.append(contentsOf: noise)
        number += 1
    }
    return bytes.prefix(count)
}

/// `true` if a condition is true in one of ten attempts.
///
/// A busy machine is late occasionally; a fault is late every time.
func holdsInOneOfTenTries(_ holds: () async throws -> Bool) async throws -> Bool {
    for _ in 0..<10 where try await holds() { return true }
    return false
}
#endif
