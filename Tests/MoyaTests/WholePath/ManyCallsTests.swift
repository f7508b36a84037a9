import Foundation
import Moya
import MoyaTesting
import MoyaTransport
import Testing

/// Many calls at once, each of which ends exactly once.
@Suite(.serialized) struct ManyCallsTests {
    private static let count = 1000

    @Test func aThousandCallsAtOnceCompleteOnceEach() async throws {
        let server = try await LoopbackServer { try await $0.respond(body: "hello") }
        let provider = MoyaProvider<AnyTarget>(callbackQueue: DispatchQueue(label: "test"))
        let tally = Tally(expecting: Self.count)
        for index in 0..<Self.count {
            provider.request(AnyTarget(baseURL: server.url)) { tally.record(index, $0) }
        }
        await tally.wait()
        #expect(tally.counts == Array(repeating: 1, count: Self.count))
        #expect(tally.successes == Self.count)
    }

    // On macOS, TMPDIR does not move the temporary directory.
    #if os(Linux)
    /// In a separate process, with its own descriptors and temporary files.
    @Test func aThousandCallsCancelledAtRandomCompleteOnceEachAndLeaveNothingBehind() async {
        await #expect(processExitsWith: .success) {
            let temporary = try TemporaryDirectoryOfThisProcess()
            let server = try await LoopbackServer { try await $0.respond(body: "hello") }
            try await Self.cancelAtRandom(server, seed: 1)
            try await server.waitUntil { $0.openConnectionCount == 0 }
            let descriptors = try OpenFiles.count()
            for seed: UInt64 in 2...4 { try await Self.cancelAtRandom(server, seed: seed) }
            // The providers are released: their connections close on the transport's own thread.
            try await server.waitUntil { $0.openConnectionCount == 0 }
            // Dispatch opens a few when it first has a use for them; three thousand calls would leave more.
            #expect(try await Self.settles { try OpenFiles.count() <= descriptors + 4 })
            #expect(temporary.names.filter { $0.hasPrefix("moya-download-") } == [])
        }
    }
    #endif

    private static func cancelAtRandom(_ server: LoopbackServer, seed: UInt64) async throws {
        let directory = try TestDirectory()
        let provider = MoyaProvider<AnyTarget>(callbackQueue: DispatchQueue(label: "test"))
        let tally = Tally(expecting: count)
        var random = SeededGenerator(seed: seed)
        var tokens: [any Cancellable] = []
        for index in 0..<count {
            let file = directory.url.appendingPathComponent("\(index)")
            let task: RequestTask = index % 2 == 0 ? .requestPlain : .downloadDestination { _, _ in (file, []) }
            tokens.append(provider.request(AnyTarget(baseURL: server.url, task: task)) { tally.record(index, $0) })
            for _ in 0..<Int.random(in: 0...2, using: &random) { tokens.randomElement(using: &random)?.cancel() }
        }
        for token in tokens.shuffled(using: &random).prefix(count / 2) { token.cancel() }
        await tally.wait()
        #expect(tally.counts == Array(repeating: 1, count: count))
        #expect(tally.failuresOtherThanCancelled.isEmpty)
    }

    @Test func aThousandAwaitedCallsReturn() async throws {
        let server = try await LoopbackServer { try await $0.respond(body: "hello") }
        let provider = MoyaProvider<AnyTarget>()
        let target = AnyTarget(baseURL: server.url)
        let total = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<Self.count { group.addTask { try await provider.request(target).data.count } }
            return try await group.reduce(0, +)
        }
        #expect(total == 5 * Self.count)
    }

    /// `true` if a condition becomes true within ten seconds: closing a descriptor has no notification.
    private static func settles(_ isTrue: () throws -> Bool) async throws -> Bool {
        let deadline = ContinuousClock.now + .seconds(10)
        while try !isTrue() {
            guard ContinuousClock.now < deadline else { return false }
            try await ContinuousClock().sleep(for: .milliseconds(5))
        }
        return true
    }
}

/// Counts how often each call has ended.
private final class Tally: Sendable {
    private struct State {
        var counts: [Int]
        var ended = 0
        var successes = 0
        var failures: [MoyaError] = []
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state: Lock<State>
    private let expected: Int

    init(expecting count: Int) {
        expected = count
        state = Lock(State(counts: Array(repeating: 0, count: count)))
    }

    func record(_ index: Int, _ result: Result<Response, MoyaError>) {
        let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
            state.counts[index] += 1
            state.ended += 1
            switch result {
            case .success: state.successes += 1
            case .failure(let error): state.failures.append(error)
            }
            guard state.ended == expected else { return nil }
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }

    func wait() async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                if state.ended < expected { state.waiter = continuation }
                return state.ended >= expected
            }
            if isOver { continuation.resume() }
        }
    }

    var counts: [Int] { state.withLock { $0.counts } }
    var successes: Int { state.withLock { $0.successes } }
    var failuresOtherThanCancelled: [MoyaError] {
        state.withLock { $0.failures }.filter { $0.sessionError?.isExplicitlyCancelledError != true }
    }
}
