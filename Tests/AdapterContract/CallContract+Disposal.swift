import Foundation
import Moya
import MoyaTesting
import MoyaTransport

extension CallContract {
    func disposalCancelsTheCall() async throws {
        let server = try await LoopbackServer { try await $0.stallUntilClosed() }
        let provider = provider()
        let responses = Watcher(response(of: ContractTarget(server.url), from: provider))
        let progress = Watcher(progress(of: ContractTarget(server.url), from: provider))
        try await server.waitUntil { $0.requestCount == 2 }
        responses.dispose()
        responses.dispose()
        progress.dispose()
        try await server.waitUntil { $0.openConnectionCount == 0 }
        withExtendedLifetime(provider) {}
    }

    func nothingIsToldAfterADisposal() async throws {
        let server = try await LoopbackServer { try await $0.stallUntilClosed() }
        let queue = DispatchQueue(label: "test")
        let ends = Gate()
        let provider = provider(callbackQueue: queue, plugins: [EndPlugin(gate: ends)])
        let responses = Watcher(response(of: ContractTarget(server.url), from: provider))
        let progress = Watcher(progress(of: ContractTarget(server.url), from: provider))
        try await server.waitUntil { $0.requestCount == 2 }
        responses.dispose()
        progress.dispose()
        // Each call has ended once the plugin was notified and the queue has run its work.
        try await ends.wait()
        try await ends.wait()
        await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
        let values = responses.values.count + progress.values.count
        try require(values, is: 0, "values")
        // ReactiveSwift's word for a disposal is an event; a failure or an end would be the call's.
        try require(responses.isFinished || progress.isFinished, is: false, "finished")
        try require(responses.error == nil && progress.error == nil, is: true, "no error")
    }

    func disposalInsideAValueCancelsTheCall() async throws {
        let server = try await LoopbackServer { exchange in
            try await exchange.send(head: 200, ["Content-Length": "100"])
            try await exchange.send("some")
            try await exchange.stallUntilClosed()
        }
        let provider = provider()
        let watcher = Watcher(progress(of: ContractTarget(server.url), from: provider)) { watcher, event in
            if case .value = event { watcher.dispose() }
        }
        try await watcher.until { !$0.values.isEmpty }
        try await server.waitUntil { $0.openConnectionCount == 0 }
        try require(watcher.values.count, is: 1, "values")
        try require(watcher.isFinished || watcher.error != nil, is: false, "an end of the call")
        withExtendedLifetime(provider) {}
    }

    func disposalInsideTheResponseEndsTheStream() async throws {
        let server = try await LoopbackServer { try await $0.respond(body: "hello") }
        for queue in [nil, DispatchQueue(label: "test")] {
            let provider = provider(stub: queue == nil ? .immediate : .never, callbackQueue: queue)
            let watcher = Watcher(response(of: ContractTarget(server.url), from: provider)) { watcher, event in
                if case .value = event { watcher.dispose() }
            }
            try await watcher.until { !$0.values.isEmpty }
            if let queue { await withCheckedContinuation { continuation in queue.async { continuation.resume() } } }
            try require(watcher.values.count, is: 1, "values")
            try require(watcher.error == nil, is: true, "no error")
        }
    }

    func disposalBeforeTheRequestIsThere() throws {
        let provider = provider(requestClosure: { _, _ in })
        let responses = Watcher(response(from: provider))
        let progress = Watcher(progress(from: provider))
        responses.dispose()
        progress.dispose()
        try require(responses.values.count + progress.values.count, is: 0, "values")
    }

    func disposalWhileTheAnswerArrives() throws {
        for _ in 0..<300 {
            let answer = Lock<(@Sendable () -> Void)?>(nil)
            let provider = provider(
                requestClosure: { endpoint, done in
                    answer.withLock { answer in
                        answer = { MoyaProvider<ContractTarget>.defaultRequestMapping(for: endpoint, closure: done) }
                    }
                }, stub: .immediate)
            let watcher = Watcher(response(from: provider))
            DispatchQueue.concurrentPerform(iterations: 2) { index in
                if index == 0 { watcher.dispose() } else { answer.withLock { $0 }?() }
            }
            guard watcher.values.count <= 1, watcher.ends.count <= 1, watcher.error == nil else {
                throw Violation("told \(watcher.events)")
            }
        }
    }

    // MARK: Providers

    func providerGoneBeforeTheSubscription() throws {
        // The provider is in here alone.
        func streams() -> (AnyStream<Response>, AnyStream<ProgressResponse>, isAlive: () -> Bool) {
            let provider = provider(stub: .immediate)
            return (
                self.response(from: provider), self.progress(from: provider), { [weak provider] in provider != nil }
            )
        }
        let (responses, progress, isAlive) = streams()
        try require(isAlive(), is: false, "a provider kept by its streams")
        let watchers = (Watcher(responses), Watcher(progress))
        try require(watchers.0.events.count + watchers.1.events.count, is: 0, "events")
        watchers.0.dispose()
    }

    func providerReleasedDuringTheCall() async throws {
        let gate = Gate()
        let server = try await LoopbackServer { exchange in
            try await gate.wait()
            try await exchange.respond(body: "hello")
        }
        let queue = DispatchQueue(label: "test")
        var made: MoyaProvider<ContractTarget>? = provider(callbackQueue: queue)
        let watcher = made.map { Watcher(response(of: ContractTarget(server.url), from: $0)) }
        try await gate.waitForArrivals(1)
        made = nil
        gate.open()
        try require(try await watcher?.success().map(\.text), is: ["hello"], "bodies")
    }
}

/// Reports when a call has ended.
private struct EndPlugin: PluginType {
    let gate: Gate

    func didReceive(_ result: Result<Response, MoyaError>, target: any TargetType) { gate.open(times: 1) }
}
