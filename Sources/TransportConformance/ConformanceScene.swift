package import Foundation
package import MoyaTesting
package import MoyaTransport

/// An exchange in flight and the events that its sink receives.
package struct ConformanceExchange: Sendable {
    package let handle: any TransportExchange
    package let sink: ListeningSink
}

extension Transport {
    package func begin(_ request: HTTPRequest, sink: ListeningSink = ListeningSink()) -> ConformanceExchange {
        ConformanceExchange(handle: start(request, delivering: sink), sink: sink)
    }

    /// Runs an exchange to its end.
    package func run(_ request: HTTPRequest, sink: ListeningSink = ListeningSink()) async throws -> HeardEvents {
        try await begin(request, sink: sink).sink.waitForEnd()
    }
}

/// A transport under test, with helpers for behaviours.
struct ConformanceScene: Sendable {
    let transport: any Transport

    func start(_ request: HTTPRequest, _ sink: ListeningSink = ListeningSink()) -> ConformanceExchange {
        transport.begin(request, sink: sink)
    }

    /// Runs an exchange to its end.
    func run(_ request: HTTPRequest, _ sink: ListeningSink = ListeningSink()) async throws -> HeardEvents {
        try await transport.run(request, sink: sink)
    }

    /// Returns after the transport has carried other exchanges, started after all earlier commands, so that a transport
    /// with a single queue has processed those.
    func letTheTransportWork() async throws {
        let server = try await LoopbackServer { try await $0.respond(body: "other") }
        for _ in 0..<3 {
            let heard = try await run(server.request())
            try expect(heard.text == "other", "another exchange is carried meanwhile; it heard \(heard)")
        }
    }

    /// Expects that a server has received nothing: another request is its first.
    func expectNothingSent(to server: LoopbackServer) async throws {
        try expectWhole(try await run(server.request("GET", "/first")))
        try expect(server.requests.map(\.target), is: ["/first"], "the requests that arrived")
    }

    /// The events of one request that is answered with these bytes, followed by a close.
    func heard(of answer: some Sequence<UInt8> & Sendable) async throws -> HeardEvents {
        let answer = [UInt8](answer)
        let server = try await LoopbackServer { exchange in
            try await exchange.discardBody()
            try await exchange.send(raw: answer)
            exchange.close()
        }
        return try await run(server.request())
    }

    /// The events of one request that is answered with this text, followed by a close.
    func heard(of answer: String) async throws -> HeardEvents {
        try await heard(of: Array(answer.utf8))
    }

    /// The single request that arrives, including its body, at a server that answers it.
    func received(
        _ method: String = "GET", _ target: String = "/", _ fields: [(String, String)] = [],
        body: TransportBody = .none
    ) async throws -> LoopbackRequest {
        let server = try await LoopbackServer.reading()
        try expectWhole(try await run(server.request(method, target, fields, body: body)))
        guard let request = server.requests.first else {
            throw TransportConformance.Failure(message: "no request came")
        }
        return request
    }
}

extension LoopbackServer {
    /// A server that reads the whole body of each request and answers with a text.
    static func reading(answer: String = "") async throws -> LoopbackServer {
        try await LoopbackServer { exchange in
            _ = try await exchange.body()
            try await exchange.respond(body: answer)
        }
    }

    /// A request to this server.
    package func request(
        _ method: String = "GET", _ target: String = "/", _ fields: [(String, String)] = [],
        body: TransportBody = .none, timeouts: Timeouts = Timeouts(),
        collectsMetrics: Bool = false, reportsSentBytes: Bool = false
    ) -> HTTPRequest {
        HTTPRequest(
            method: method, url: "\(url)\(target)", fields: fields.map { HTTPField(name: $0.0, value: $0.1) },
            body: body, timeouts: timeouts, collectsMetrics: collectsMetrics, reportsSentBytes: reportsSentBytes)
    }
}

/// Throws the expectation if the condition is false.
func expect(_ holds: Bool, _ expectation: @autoclosure () -> String) throws {
    guard !holds else { return }
    throw TransportConformance.Failure(message: "expected that \(expectation())")
}

/// Throws both values if they differ.
func expect<Value: Equatable>(_ found: Value, is wanted: Value, _ what: @autoclosure () -> String) throws {
    guard found != wanted else { return }
    throw TransportConformance.Failure(message: "\(what()) should be \(wanted), and is \(found)")
}

/// Throws if an exchange did not end once, with a complete response.
func expectWhole(_ heard: HeardEvents) throws {
    guard heard.ends.count == 1, heard.heads.count == 1, heard.failure == nil else {
        throw TransportConformance.Failure(message: "a whole response was expected; heard \(heard)")
    }
}

/// Throws if an exchange did not end once, with a failure of this kind.
func expectFailure(_ heard: HeardEvents, _ kind: TransportFailure.Kind) throws {
    guard heard.ends.count == 1, heard.kind == kind else {
        throw TransportConformance.Failure(message: "a failure \(kind) was expected; heard \(heard)")
    }
}

/// Bytes of which no two kilobytes are equal.
package func unlikeBytes(_ count: Int) -> Data {
    var generator = SeededGenerator(seed: 4)
    let noise = (0..<127).map { _ in generator.next() }
    var bytes = Data(capacity: count + 1_024)
    var number: UInt64 = 0
    while bytes.count < count {
        withUnsafeBytes(of: number) { bytes.append(contentsOf: $0) }
        noise.withUnsafeBytes { bytes.append(contentsOf: $0) }
        number += 1
    }
    return bytes.prefix(count)
}
