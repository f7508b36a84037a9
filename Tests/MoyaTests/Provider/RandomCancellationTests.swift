import Foundation
import Moya
import MoyaTesting
import MoyaTransport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Every completion runs exactly once, under any race.
@Suite struct RandomCancellationTests {
    private static let count = 1_000

    /// Makes calls, cancels some of them from many threads at moments chosen by a seed, and counts the ends of each.
    private func ends(_ provider: MoyaProvider<API>, seed: UInt64, distinct: Int = count) async -> [Int] {
        let ends = Lock((ofEach: [Int](repeating: 0, count: Self.count), total: 0))
        return await withCheckedContinuation { continuation in
            run(provider, seed, distinct) { index in
                // Counted under one lock: the last to end finds all others counted.
                let all: [Int]? = ends.withLock { ends in
                    ends.ofEach[index] += 1
                    ends.total += 1
                    return ends.total == Self.count ? ends.ofEach : nil
                }
                if let all { continuation.resume(returning: all) }
            }
        }
    }

    private func run(
        _ provider: MoyaProvider<API>, _ seed: UInt64, _ distinct: Int, _ ended: @escaping @Sendable (Int) -> Void
    ) {
        DispatchQueue.concurrentPerform(iterations: 8) { worker in
            var numbers = SeededGenerator(seed: seed &+ UInt64(worker))
            var tokens: [any Cancellable] = []
            for index in stride(from: worker, to: Self.count, by: 8) {
                let token = provider.request(API(path: "/\(index % distinct)"), callbackQueue: .global()) { _ in
                    ended(index)
                }
                switch UInt8.random(in: 0..<4, using: &numbers) {
                case 0: token.cancel()
                case 1: tokens.append(token)
                case 2: tokens.popLast()?.cancel()
                default: DispatchQueue.global().async { token.cancel() }
                }
            }
            for token in tokens.shuffled(using: &numbers) { token.cancel() }
        }
    }

    private static func stub(_ target: API) -> StubBehavior {
        // Some at once, some after 1 to 6 ms, so that ends and cancellations coincide.
        let number = target.path.utf8.reduce(0) { Int($0) &* 31 &+ Int($1) } % 7
        return number == 0 ? .immediate : .delayed(seconds: Double(abs(number)) / 1_000)
    }

    @Test(arguments: [1, 2, 3] as [UInt64]) func stubbedCallsEndOnceEachUnderRandomCancellation(_ seed: UInt64) async {
        let provider = MoyaProvider<API>(stubClosure: Self.stub)
        #expect(await ends(provider, seed: seed).allSatisfy { $0 == 1 })
    }

    @Test(arguments: [4, 5] as [UInt64]) func sharedCallsEndOnceEachUnderRandomCancellation(_ seed: UInt64) async {
        let provider = MoyaProvider<API>(stubClosure: Self.stub, trackInflights: true)
        #expect(await ends(provider, seed: seed, distinct: 20).allSatisfy { $0 == 1 })
        #expect(provider.inflightRequests.isEmpty)
    }

    @Test(arguments: [6, 7] as [UInt64]) func sentCallsEndOnceEachUnderRandomCancellation(_ seed: UInt64) async {
        let provider = MoyaProvider<API>(session: Session(transport: StepwiseTransport.answering()))
        #expect(await ends(provider, seed: seed).allSatisfy { $0 == 1 })
    }

    /// The path of a call.
    enum Way: CaseIterable, Sendable {
        case plain, tracked, middleware, deadline, middlewareAndDeadline, lateRequest, lateRequestAndMiddleware

        fileprivate var provider: MoyaProvider<API> {
            let isLate = self == .lateRequest || self == .lateRequestAndMiddleware
            let hasMiddleware =
                self == .middleware || self == .middlewareAndDeadline || self == .lateRequestAndMiddleware
            let hasDeadline = self == .deadline || self == .middlewareAndDeadline
            return MoyaProvider(
                requestClosure: { endpoint, done in
                    guard isLate else { return MoyaProvider<API>.defaultRequestMapping(for: endpoint, closure: done) }
                    DispatchQueue.global().async {
                        MoyaProvider<API>.defaultRequestMapping(for: endpoint, closure: done)
                    }
                }, stubClosure: RandomCancellationTests.stub,
                middleware: hasMiddleware ? [ClosureMiddleware.waiting(.zero)] : [], trackInflights: self == .tracked,
                deadlines: hasDeadline ? Deadlines(attempt: .seconds(900), total: .seconds(900)) : Deadlines())
        }
    }

    @Test(arguments: [Way.middleware, .deadline, .middlewareAndDeadline, .lateRequest, .lateRequestAndMiddleware])
    func callsEndOnceEachUnderRandomCancellationOnEveryPath(_ way: Way) async {
        #expect(await ends(way.provider, seed: 9).allSatisfy { $0 == 1 })
    }

    @Test(arguments: Way.allCases) func awaitedCallsEndOnceEachUnderRandomCancellation(_ way: Way) async {
        let provider = way.provider
        let ended = await withTaskGroup(of: Bool.self) { group in
            var numbers = SeededGenerator(seed: 8)
            for index in 0..<Self.count {
                let isCancelled = Bool.random(using: &numbers)
                group.addTask {
                    let task = _Concurrency.Task { (try? await provider.request(API(path: "/\(index)"))) != nil }
                    if isCancelled { task.cancel() }
                    return await task.value || isCancelled
                }
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(ended == Self.count)
    }
}
