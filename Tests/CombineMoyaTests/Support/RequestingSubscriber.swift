#if CombineMoya
import MoyaTransport

#if canImport(Combine)
import Combine
#else
import OpenCombine
#endif

/// A subscriber that requests values when the test does.
///
/// `@unchecked`: the subscription is set once, before anything else, and may be used from any thread.
final class RequestingSubscriber<Input: Sendable, Failure: Error>: Subscriber, @unchecked Sendable {
    private struct State {
        var values: [Input] = []
        var completions: [Failure?] = []
    }

    private let answer: Subscribers.Demand
    private var subscription: (any Subscription)?
    private let state = Lock(State())
    private let arrivals: AsyncStream<Void>
    private let arrival: AsyncStream<Void>.Continuation

    init(answer: Subscribers.Demand = .none) {
        self.answer = answer
        (arrivals, arrival) = AsyncStream.makeStream()
    }

    var values: [Input] { state.withLock { $0.values } }
    var count: Int { values.count }
    var completionCount: Int { state.withLock { $0.completions.count } }
    var error: Failure? { state.withLock { $0.completions.first ?? nil } }

    func request(_ demand: Subscribers.Demand) { subscription?.request(demand) }

    func cancel() {
        subscription?.cancel()
        subscription = nil
    }

    func until(_ isFulfilled: (RequestingSubscriber) -> Bool) async throws {
        if isFulfilled(self) { return }
        for await _ in arrivals where isFulfilled(self) { return }
        throw CancellationError()
    }

    func completion() async throws { try await until { $0.completionCount > 0 } }

    func receive(subscription: any Subscription) { self.subscription = subscription }

    func receive(_ input: Input) -> Subscribers.Demand {
        state.withLock { $0.values.append(input) }
        arrival.yield()
        return answer
    }

    func receive(completion: Subscribers.Completion<Failure>) {
        state.withLock { state in
            if case .failure(let error) = completion {
                state.completions.append(error)
            } else {
                state.completions.append(nil)
            }
        }
        arrival.yield()
    }
}
#endif
