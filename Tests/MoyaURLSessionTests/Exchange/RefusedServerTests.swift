import Foundation
import MoyaTransport
import Testing

@testable import MoyaURLSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The tasks that the system ends without another challenge after a server was refused.
@Suite struct RefusedServerTests {
    private func kind(of url: String, _ code: URLError.Code = .cancelled) throws -> TransportFailure.Kind? {
        let wire = URLSessionWire(URLSessionSettings(TransportConfiguration()))
        let sink = EndSink()
        let exchange = URLSessionExchange(request: HTTPRequest(method: "GET", url: url), sink: sink, wire: wire)
        wire.queue.sync {
            wire.refusals["sample.test"] = TransportFailure(.tls(.refusedByPolicy), message: "pin")
            exchange.complete(URLError(code))
        }
        return try #require(sink.ends.first).failure?.kind
    }

    @Test(arguments: [
        "https://sample.test", "https://sample.test/path", "https://sample.test/path?query=1",
        "https://sample.test:8443/path", "https://Sample.TEST./path",
    ])
    func theirFailureIsTheRefusal(_ url: String) throws {
        #expect(try kind(of: url) == .tls(.refusedByPolicy))
    }

    @Test func anotherServerIsNotRefused() throws {
        #expect(try kind(of: "https://else.test/sample.test") == .reset)
    }

    @Test func anotherErrorIsReported() throws {
        #expect(try kind(of: "https://sample.test/path", .cannotFindHost) == .dns)
    }
}
