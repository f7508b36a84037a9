import Dispatch
import Foundation
import MoyaTesting
import MoyaTransport
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Many requests, many threads: each request ends exactly once, and the session forgets it.
@Suite struct SessionRacesTests {
    private static let url = "http://a.example/"

    /// Waits for the ends of requests, and returns their number.
    private func ends(of requests: [Request], _ body: () -> Void) async -> [RequestOutcome] {
        let outcomes = Recorded<RequestOutcome>()
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let group = DispatchGroup()
            for request in requests {
                group.enter()
                request.onFinish {
                    outcomes.add($0)
                    group.leave()
                }
            }
            body()
            group.notify(queue: .global()) { continuation.resume() }
        }
        return outcomes.all
    }

    @Test(arguments: [true, false])
    func aHundredCancelledRequestsEndOnceEach(startsImmediately: Bool) async throws {
        let gate = Gate()
        let server = try await LoopbackServer { exchange in
            try await gate.wait()
            try await exchange.respond()
        }
        let session = Session(configuration: .ephemeral, startRequestsImmediately: startsImmediately)
        let requests = (0..<100).map { _ in session.request(server.url) }
        let outcomes = await ends(of: requests) {
            for request in requests {
                request.response(queue: .global()) { _ in }
                if !startsImmediately { request.resume() }
            }
            DispatchQueue.concurrentPerform(iterations: requests.count) { requests[$0].cancel() }
        }
        #expect(outcomes.count == 100)
        #expect(outcomes.allSatisfy { $0.error?.isExplicitlyCancelledError == true })
        #expect(session.active.isEmpty)
        gate.open()
    }

    @Test func aHundredRequestsCancelledBetweenAttemptsEndOnceEach() async {
        let recorder = EventRecorder()
        let retrier = Intercepting(retry: { _, _, completion in completion(.retryWithDelay(3600)) })
        let session = Session.over(
            StubbedTransport(.failure(.reset)), interceptor: retrier, monitors: [recorder])
        let requests = (0..<100).map { _ in session.request(URLRequest.to(Self.url)).resume() }
        let outcomes = await ends(of: requests) { session.cancelAllRequests() }
        #expect(outcomes.count == 100)
        #expect(outcomes.allSatisfy { $0.error?.isExplicitlyCancelledError == true })
        #expect(recorder.names.filter { $0 == "didFinish" }.count == 100)
        #expect(session.active.isEmpty)
    }

    @Test func aHundredSuspendedRequestsResume() async throws {
        let server = try await LoopbackServer { try await $0.respond(body: "hello") }
        let session = Session.onTheWire()
        let requests = (0..<100).map { _ in session.request(server.url) }
        let outcomes = await ends(of: requests) {
            DispatchQueue.concurrentPerform(iterations: requests.count) { index in
                requests[index].resume().suspend()
            }
            DispatchQueue.concurrentPerform(iterations: requests.count) { index in requests[index].resume() }
        }
        #expect(outcomes.filter { $0.error == nil && $0.data == Data("hello".utf8) }.count == 100)
        #expect(session.active.isEmpty)
    }

    @Test func concurrentCancelsOfOneRequestCountOnce() async {
        let recorder = EventRecorder()
        let session = Session.over(StubbedTransport(.silence), monitors: [recorder])
        let request = session.request(URLRequest.to(Self.url)).resume()
        DispatchQueue.concurrentPerform(iterations: 100) { _ in request.cancel() }
        for name in ["didCancel", "didCancelTask", "didCompleteTask", "didFinish"] {
            #expect(recorder.names.filter { $0 == name }.count == 1, "\(name)")
        }
    }

    @Test func concurrentResumesOfOneRequestCountOnce() async {
        let transport = StubbedTransport(.silence)
        let recorder = EventRecorder()
        let session = Session.over(transport, monitors: [recorder])
        let request = session.request(URLRequest.to(Self.url))
        DispatchQueue.concurrentPerform(iterations: 100) { _ in request.resume() }
        #expect(transport.requests.count == 1)
        #expect(recorder.names.filter { $0 == "didResume" }.count == 1)
        request.cancel()
    }

    /// Cancels just after the machine has taken a resume, and before the driver acts on it.
    private final class CancellingMonitor: EventMonitor {
        private let request = Lock<Request?>(nil)
        private let own = DispatchQueue(label: "org.moya.tests.cancelling")

        func cancelAtNextEvent(of next: Request) { request.withLock { $0 = next } }

        var queue: DispatchQueue {
            let next = request.withLock { request in
                defer { request = nil }
                return request
            }
            next?.cancel()
            return own
        }

        func receive(_ event: RequestEvent, of request: Request) {}
    }

    @Test func aRequestCancelledAsItStartsIsForgotten() {
        let monitor = CancellingMonitor()
        let transport = StubbedTransport(.silence)
        let session = Session.over(transport, monitors: [monitor])
        let request = session.request(URLRequest.to(Self.url))
        monitor.cancelAtNextEvent(of: request)
        request.resume()
        #expect(request.isCancelled)
        #expect(session.active.isEmpty)
        #expect(transport.requests.isEmpty)
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func requestEndsOnceUnderThreeThreads(seed: UInt64) async {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<100 {
            let script = (0..<3).map { _ in (0..<4).map { _ in Int.random(in: 0..<3, using: &generator) } }
            let session = Session.over(
                StubbedTransport(.failure(.reset), .response(200)), interceptor: Intercepting.retrying(1))
            let request = session.request(URLRequest.to(Self.url))
            let ends = Recorded<RequestOutcome>()
            request.onFinish { ends.add($0) }
            DispatchQueue.concurrentPerform(iterations: 3) { thread in
                for step in script[thread] {
                    switch step {
                    case 0: request.resume()
                    case 1: request.suspend()
                    default: request.cancel()
                    }
                }
            }
            request.cancel()
            #expect(ends.count == 1)
            #expect(session.active.isEmpty)
        }
    }

    @Test(arguments: [4, 5] as [UInt64])
    func aHundredSentRequestsEndOnceUnderAnyCancellation(seed: UInt64) async throws {
        let server = try await LoopbackServer { exchange in
            try await exchange.respond(body: String(repeating: "x", count: 2_000))
        }
        let session = Session.onTheWire()
        let requests = (0..<100).map { _ in session.request(server.url) }
        var generator = SeededGenerator(seed: seed)
        let spins = (0..<100).map { _ in Int.random(in: 0..<20_000, using: &generator) }
        let outcomes = await ends(of: requests) {
            DispatchQueue.concurrentPerform(iterations: 100) { index in
                requests[index].resume()
                var iteration = 0
                while iteration < spins[index] { iteration += 1 }
                if index % 2 == 0 { requests[index].cancel() } else { requests[index].suspend().resume() }
            }
        }
        #expect(outcomes.count == 100)
        #expect(session.active.isEmpty)
        for (request, outcome) in zip(requests, requests.map(\.error)) where request.isCancelled {
            #expect(outcome?.isExplicitlyCancelledError == true)
        }
    }
}
