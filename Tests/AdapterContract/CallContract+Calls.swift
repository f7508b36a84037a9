import Foundation
import Moya
import MoyaTesting
import MoyaTransport

extension CallContract {
    func stubAnswersInsideTheSubscription() throws {
        let provider = provider(stub: .immediate)
        let watcher = Watcher(response(from: provider))
        try require(try watcher.ended().map(\.text), is: ["sample"], "values")
        try require(watcher.isFinished, is: true, "finished")
        try require(watcher.values.first?.request != nil, is: true, "a request in the response")
    }

    func stubbedErrorEndsTheStream() throws {
        let provider = provider(sample: .networkError(NSError(domain: "Houston", code: 7)), stub: .immediate)
        let watcher = Watcher(response(from: provider))
        try require(try watcher.ended().count, is: 0, "values")
        guard case .underlying(let error, nil)? = watcher.error else { throw Violation("\(watcher.ends)") }
        try require((error as NSError).domain, is: "Houston", "domain")
        try require((error as NSError).code, is: 7, "code")
    }

    func serverAnswersEachTarget() async throws {
        let server = try await LoopbackServer { try await $0.respond(body: $0.request.target) }
        let provider = provider()
        for path in ["/zen", "/user"] {
            let values = try await Watcher(response(of: ContractTarget(server.url, path: path), from: provider))
                .success()
            try require(values.map(\.text), is: [path], "bodies")
        }
    }

    func nothingHappensBeforeASubscription() async throws {
        let server = try await LoopbackServer { try await $0.respond() }
        let endpoints = Lock(0)
        let provider = provider(requestClosure: { endpoint, done in
            endpoints.withLock { $0 += 1 }
            MoyaProvider<ContractTarget>.defaultRequestMapping(for: endpoint, closure: done)
        })
        let responses = response(of: ContractTarget(server.url), from: provider)
        let progress = progress(of: ContractTarget(server.url), from: provider)
        try require(endpoints.withLock { $0 }, is: 0, "calls before the subscriptions")
        try await Watcher(responses).end()
        try await Watcher(progress).end()
        try require(endpoints.withLock { $0 }, is: 2, "calls after the subscriptions")
        try require(server.requestCount, is: 2, "requests after the subscriptions")
    }

    func eachSubscriptionMakesACallOfItsOwn() async throws {
        let server = try await LoopbackServer { try await $0.respond(body: "hello") }
        let provider = provider()
        let stream = response(of: ContractTarget(server.url), from: provider)
        let watchers = (0..<3).map { _ in Watcher(stream) }
        for watcher in watchers { try require(try await watcher.success().map(\.text), is: ["hello"], "bodies") }
        try require(server.requestCount, is: 3, "requests")
    }

    /// The key of a shared call is removed before its completions run, unlike in Moya 15.
    func equalSubscriptionsShareACall() async throws {
        let gate = Gate()
        let server = try await LoopbackServer { exchange in
            try await gate.wait()
            try await exchange.respond(body: "shared")
        }
        let provider = provider(trackInflights: true)
        let stream = response(of: ContractTarget(server.url), from: provider)
        try require(provider.inflightRequests.count, is: 0, "entries before the subscriptions")
        let inside = Recorder<Int>()
        let watchers = (0..<2).map { _ in
            Watcher(stream) { [weak provider] _, event in
                if case .value = event { inside.append(provider?.inflightRequests.count ?? -1) }
            }
        }
        try require(provider.inflightRequests.values.map(\.count), is: [2], "callers of the entries")
        gate.open()
        var responses: [Response] = []
        for watcher in watchers { responses += try await watcher.success() }
        try require(responses.map(\.text), is: ["shared", "shared"], "bodies")
        try require(responses.first == responses.last, is: true, "equality of the responses")
        try require(inside.values, is: [0, 0], "entries inside the values")
        try require(provider.inflightRequests.count, is: 0, "entries afterwards")
        try require(server.requestCount, is: 1, "requests")
    }
}
