import Foundation
import Moya
import Testing

/// The calls with a completion closure, on the same servers.
@Suite(.needsServers)
struct CallbackTests {
    let servers: Servers
    let provider = MoyaProvider<Call>()

    init() throws { servers = try #require(Servers.running) }

    @Test func theCompletionGetsTheResponse() async throws {
        let result = await complete(.get(servers.httpbin, "/get"), on: DispatchQueue(label: "callbacks"))
        #expect(try result.get().map(Echo.self).url.hasSuffix("/get"))
    }

    @Test func theCompletionGetsTheError() async throws {
        let call = Call(baseURL: servers.httpbin, path: "/status/503", validationType: .successCodes)
        let result = await complete(call, on: DispatchQueue(label: "callbacks"))
        #expect(result.failure?.response?.statusCode == 503)
    }

    @Test func theCompletionRunsOnTheQueueThatWasGiven() async throws {
        let key = DispatchSpecificKey<Bool>()
        let queue = DispatchQueue(label: "callbacks")
        queue.setSpecific(key: key, value: true)
        let onQueue = await withCheckedContinuation { continuation in
            provider.request(.get(servers.httpbin, "/get"), callbackQueue: queue) { _ in
                continuation.resume(returning: DispatchQueue.getSpecific(key: key) == true)
            }
        }
        #expect(onQueue)
    }

    @Test func theCompletionRunsOnTheMainQueueByDefault() async throws {
        // The queue, not the thread: off Apple platforms the main queue of a program without a run loop has no
        // dedicated thread.
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        let onMain = await withCheckedContinuation { continuation in
            provider.request(.get(servers.httpbin, "/get")) { _ in
                continuation.resume(returning: DispatchQueue.getSpecific(key: key) == true)
            }
        }
        #expect(onMain)
    }

    @Test func aHundredCallsAtOnceEachCompleteOnce() async throws {
        let statuses = await withTaskGroup(of: Int?.self) { group in
            for _ in 0..<100 {
                group.addTask {
                    await complete(.get(servers.nginx, "/static/small.json"), on: .global()).success?.statusCode
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses == Array(repeating: 200, count: 100))
    }

    @Test func aClosedPortIsAnErrorWithoutResponse() async throws {
        let closed = try #require(URL(string: "http://127.0.0.1:1"))
        let result = await complete(.get(closed, "/"), on: .global())
        guard case .failure(.underlying(_, nil)) = result else {
            Issue.record("\(result)")
            return
        }
    }

    /// Resuming a continuation twice traps: a second completion cannot go unseen.
    private func complete(_ call: Call, on queue: DispatchQueue) async -> Result<Response, MoyaError> {
        await withCheckedContinuation { continuation in
            provider.request(call, callbackQueue: queue) { continuation.resume(returning: $0) }
        }
    }
}

extension Result {
    /// The value, `nil` for a failure.
    var success: Success? {
        if case .success(let value) = self { value } else { nil }
    }
}
