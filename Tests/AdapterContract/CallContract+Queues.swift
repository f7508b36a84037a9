import Foundation
import Moya
import MoyaTesting
import MoyaTransport

extension CallContract {
    /// Checks the queue of every event of both kinds of stream, for a call to a server and for a delayed stub.
    func queues(call: Bool, provider hasQueue: Bool) async throws {
        let server = try await LoopbackServer { try await $0.respond(body: "hello") }
        let ofCall = MarkedQueue("of the call"), ofProvider = MarkedQueue("of the provider")
        let expected = call ? ofCall.name : hasQueue ? ofProvider.name : MarkedQueue.main.name
        for stub in [StubBehavior.never, .delayed(seconds: 0)] {
            let provider = provider(stub: stub, callbackQueue: hasQueue ? ofProvider.queue : nil)
            let target = ContractTarget(server.url)
            let places = Recorder<String>()
            let responses = Watcher(response(of: target, from: provider, on: call ? ofCall.queue : nil)) { _, _ in
                places.append(MarkedQueue.currentName)
            }
            let progress = Watcher(progress(of: target, from: provider, on: call ? ofCall.queue : nil)) { _, _ in
                places.append(MarkedQueue.currentName)
            }
            _ = try await responses.success()
            _ = try await progress.success()
            try require(Set(places.values), is: [expected], "queues")
        }
    }

    func eventsComeOneAtATime() async throws {
        let server = try await LoopbackServer { exchange in
            try await exchange.respond(body: Data(repeating: 1, count: 2_000_000))
        }
        let provider = provider()
        let target = ContractTarget(server.url)
        let isInside = Lock(false)
        let overlaps = Lock(0)
        let concurrent = DispatchQueue(label: "concurrent", attributes: .concurrent)
        let values = try await Watcher(progress(of: target, from: provider, on: concurrent)) { _, _ in
            if isInside.exchange(true) { overlaps.add(1) }
            isInside.set(false)
        }.success()
        try require(overlaps.value, is: 0, "events inside others")
        try require(values.filter(\.completed).count, is: 1, "completed events")
        try require(values.last?.completed, is: true, "the last event's completed")
    }
}
