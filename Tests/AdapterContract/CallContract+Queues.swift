import Foundation
import Moya
import MoyaTesting
import MoyaTransport

extension CallContract {
    /// Checks the queue of every event of both kinds of stream, for a call to a server and for a delayed stub.
    func queues(call: Bool, provider hasQueue: Bool) async throws {
        let server = try await LoopbackServer { try await $0.respond(body: "hello") }
        let ofCall = NamedQueue("of the call"), ofProvider = NamedQueue("of the provider")
        let expected = call ? ofCall.name : hasQueue ? ofProvider.name : NamedQueue.main.name
        for stub in [StubBehavior.never, .delayed(seconds: 0)] {
            let provider = provider(stub: stub, callbackQueue: hasQueue ? ofProvider.queue : nil)
            let target = ContractTarget(server.url)
            let places = Places()
            let responses = Watcher(response(of: target, from: provider, on: call ? ofCall.queue : nil)) { _, _ in
                places.append(NamedQueue.current)
            }
            let progress = Watcher(progress(of: target, from: provider, on: call ? ofCall.queue : nil)) { _, _ in
                places.append(NamedQueue.current)
            }
            _ = try await responses.success()
            _ = try await progress.success()
            try require(Set(places.all), is: [expected], "queues")
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

/// A queue on which code can check that it runs there.
struct NamedQueue: Sendable {
    private static let key = DispatchSpecificKey<String>()
    static let main = NamedQueue("main", .main)

    let name: String
    let queue: DispatchQueue

    init(_ name: String) { self.init(name, DispatchQueue(label: name)) }

    private init(_ name: String, _ queue: DispatchQueue) {
        self.name = name
        self.queue = queue
        queue.setSpecific(key: Self.key, value: name)
    }

    static var current: String { DispatchQueue.getSpecific(key: key) ?? "none" }
}

private final class Places: Sendable {
    private let places = Lock<[String]>([])

    var all: [String] { places.withLock { $0 } }

    func append(_ place: String) { places.withLock { $0.append(place) } }
}
