import Foundation
import Moya
import MoyaSession
import Synchronization
import Testing

/// A server that takes longer than it may.
@Suite(.needsServers, .timeLimit(.minutes(5)))
struct HTTPBinTimeoutTests {
    let servers: Servers
    let url: URL

    init() throws {
        servers = try #require(Servers.running)
        url = servers.httpbin.appendingPathComponent("delay/1")
    }

    @Test func aTimedOutCallIsRetriedOnceAfterADelay() async throws {
        let monitor = ClosureEventMonitor(queue: DispatchQueue(label: "org.moya.tests.events"))
        let tasks = Atomic(0)
        monitor.requestDidCreateTask = { _, _ in tasks.add(1, ordering: .relaxed) }
        let modifications = Atomic(0)
        let retrier = Retrier { request, _, _, completion in
            completion(request.retryCount == 0 ? .retryWithDelay(0.1) : .doNotRetry)
        }
        let session = Session(startRequestsImmediately: false, interceptor: retrier, eventMonitors: [monitor])
        // A response that has arrived when the timer is checked is not a timeout, however busy the machine is.
        let slow = servers.httpbin.appendingPathComponent("delay/10")
        let request = session.request(slow) { urlRequest in
            modifications.add(1, ordering: .relaxed)
            urlRequest.timeoutInterval = 0.1
        }
        let start = ContinuousClock.now
        let error = await request.failure()
        #expect(ContinuousClock.now - start >= .milliseconds(300))
        #expect((error?.underlyingError as? URLError)?.code == .timedOut)
        #expect(error?.isSessionTaskError == true)
        #expect(request.retryCount == 1)
        monitor.queue.sync {}
        #expect(tasks.load(ordering: .relaxed) == 2)
        #expect(modifications.load(ordering: .relaxed) == 2)
    }

    @Test func aCallWithinItsTimeoutReturns() async throws {
        let session = Session(startRequestsImmediately: false)
        #expect(await session.request(url) { $0.timeoutInterval = 20 }.failure() == nil)
    }
}

extension DataRequest {
    /// Starts the request and waits for the error that it ends with.
    fileprivate func failure() async -> AFError? {
        await withCheckedContinuation { continuation in
            response(queue: .global()) { continuation.resume(returning: $0.error) }
            resume()
        }
    }
}
