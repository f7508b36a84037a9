import Foundation
import MoyaTransport
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Events between the transport's taking of a request and its returning of a handle.
@Suite struct AttemptTests {
    private let transport = InterruptedTransport()

    private func session() -> Session {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        return Session(configuration: configuration, startRequestsImmediately: false, transport: transport)
    }

    @Test func aRequestCancelledMeanwhileHasItsExchangeCancelled() {
        let session = session()
        let request = session.request("http://a.example/")
        transport.interrupt { request.cancel() }
        request.resume()
        #expect(transport.heard == ["cancel"])
        #expect(request.state == .cancelled)
    }

    @Test func aRequestSuspendedMeanwhileHasItsExchangePaused() {
        let session = session()
        let request = session.request("http://a.example/")
        transport.interrupt { request.suspend() }
        request.resume()
        #expect(transport.heard == ["pause"])
        request.cancel()
    }

    @Test func aRequestResumedWhileItsExchangeIsPausedGoesOn() {
        let session = session()
        let request = session.request("http://a.example/")
        transport.interrupt { request.suspend() }
        transport.whenPaused { request.resume() }
        request.resume()
        #expect(transport.heard.last == "resume")
        request.cancel()
    }

    @Test func anUnchangedRequestHasItsExchangeUnchanged() {
        let session = session()
        let request = session.request("http://a.example/")
        request.resume()
        #expect(transport.heard == [])
        request.cancel()
        #expect(transport.heard == ["cancel"])
    }
}

/// Calls a closure when an exchange is requested, and records the calls of its handle.
private final class InterruptedTransport: Transport {
    private struct State {
        var interruption: (@Sendable () -> Void)?
        var pause: (@Sendable () -> Void)?
        var heard: [String] = []
    }

    private let state = Lock(State())

    var heard: [String] { state.withLock { $0.heard } }

    func interrupt(_ interruption: @escaping @Sendable () -> Void) {
        state.withLock { $0.interruption = interruption }
    }

    /// Calls a closure within the first pause.
    func whenPaused(_ pause: @escaping @Sendable () -> Void) { state.withLock { $0.pause = pause } }

    func start(_ request: HTTPRequest, delivering sink: any TransportSink) -> any TransportExchange {
        let interruption = state.withLock { state in
            defer { state.interruption = nil }
            return state.interruption
        }
        interruption?()
        return Handle(transport: self)
    }

    private func record(_ text: String) { state.withLock { $0.heard.append(text) } }

    private final class Handle: TransportExchange {
        private let transport: InterruptedTransport

        init(transport: InterruptedTransport) { self.transport = transport }

        func cancel() { transport.record("cancel") }
        func pause() {
            transport.state.withLock { $0.pause.take() }?()
            transport.record("pause")
        }
        func resume() { transport.record("resume") }
    }
}
