import Foundation
import MoyaTesting
import MoyaTransport
import Testing

@testable import Moya

@Suite struct CallSubscriptionTests {
    /// A call that the test ends, and its events.
    private final class Call: Sendable {
        let subscriptions = Recorder<CallSubscription<Int>>()
        let token = CancellableToken {}
        let told = Recorder<String>()

        func subscribe(
            _ onEvent: @escaping @Sendable (CallSubscription<Int>) -> Void = { _ in },
            whenMade: @escaping @Sendable (CallSubscription<Int>) -> Void = { _ in }
        ) -> CallSubscription<Int> {
            CallSource<Int> { [self] subscription in
                subscriptions.append(subscription)
                whenMade(subscription)
                return token
            }
            .subscription { [told] event, subscription in
                switch event {
                case .value(let value): told.append("\(value)")
                case .finished: told.append("finished")
                case .failed: told.append("failed")
                }
                onEvent(subscription)
            }
        }
    }

    @Test func callIsMadeOnTheFirstDemandOnly() {
        let call = Call()
        let subscription = call.subscribe()
        #expect(call.subscriptions.count == 0)
        subscription.request(0)
        #expect(call.subscriptions.count == 0)
        subscription.request(1)
        subscription.request(1)
        #expect(call.subscriptions.count == 1)
    }

    @Test func cancellationCancelsTheCall() {
        let call = Call()
        let subscription = call.subscribe()
        subscription.request(.max)
        subscription.cancel()
        #expect(call.token.isCancelled)
        subscription.receive(1)
        subscription.finish(with: .success(nil))
        #expect(call.told.values == [])
    }

    @Test func cancellationWhileTheCallIsMadeCancelsIt() {
        let call = Call()
        let subscription = call.subscribe(whenMade: { $0.cancel() })
        subscription.request(.max)
        #expect(call.token.isCancelled)
    }

    @Test func cancellationInsideTheFirstValueOfAnImmediateAnswerCancelsTheCall() {
        let call = Call()
        let subscription = call.subscribe({ $0.cancel() }, whenMade: { $0.receive(1) })
        subscription.request(.max)
        #expect(call.told.values == ["1"])
        #expect(call.token.isCancelled)
    }

    @Test func callThatIsOverIsNotCancelled() {
        let call = Call()
        let subscription = call.subscribe()
        subscription.request(.max)
        subscription.finish(with: .success(1))
        subscription.cancel()
        #expect(call.told.values == ["1", "finished"])
        #expect(!call.token.isCancelled)
    }

    @Test func callThatAnswersAtOnceIsNotCancelledAfterwards() {
        let call = Call()
        let subscription = call.subscribe(whenMade: { $0.finish(with: .success(1)) })
        subscription.request(.max)
        subscription.cancel()
        #expect(call.told.values == ["1", "finished"])
        #expect(!call.token.isCancelled)
    }

    @Test func demandInsideAnEventIsServedAfterIt() {
        let call = Call()
        let subscription = call.subscribe { $0.request(1) }
        subscription.request(1)
        for value in 1...3 { subscription.receive(value) }
        subscription.finish(with: .success(nil))
        #expect(call.told.values == ["1", "2", "3", "finished"])
    }

    @Test func subscriberIsReleasedAtTheEnd() {
        #expect(isSubscriberKept { $0.finish(with: .success(nil)) } == false)
        #expect(isSubscriberKept { $0.cancel() } == false)
        #expect(isSubscriberKept { _ in } == true)
    }

    @Test func subscriberIsReleasedWithoutAProvider() {
        final class Subscriber: Sendable {}
        weak var left: Subscriber?
        let subscription: CallSubscription<Int>
        do {
            let subscriber = Subscriber()
            left = subscriber
            subscription = CallSource<Int> { _ in nil }.subscription { _, _ in withExtendedLifetime(subscriber) {} }
        }
        subscription.request(.max)
        #expect(left == nil)
    }

    @Test func eventsFromManyThreadsComeOneAtATime() {
        let isInside = Lock(false)
        let overlaps = Lock(0)
        let count = Lock(0)
        let subscription = CallSource<Int> { _ in CancellableToken {} }.subscription { _, _ in
            if isInside.exchange(true) {
                overlaps.add(1)
            }
            count.add(1)
            isInside.set(false)
        }
        subscription.request(.max)
        DispatchQueue.concurrentPerform(iterations: 1_000) { subscription.receive($0) }
        #expect(overlaps.value == 0)
        #expect(count.value == 1_000)
    }

    // MARK: Demand

    @Test func demandIsKnownWhereTheSubscriberAcceptsMore() async {
        let subscription = Call().subscribe()
        subscription.request(1)
        #expect(await subscription.demand())
    }

    @Test func demandWaitsUntilTheSubscriberAcceptsMore() async {
        let subscription = Call().subscribe()
        subscription.request(1)
        subscription.receive(1)
        async let isWanted = subscription.demand()
        subscription.request(1)
        #expect(await isWanted)
    }

    @Test func aCancelledSubscriberHasNoDemand() async {
        let subscription = Call().subscribe()
        subscription.request(1)
        subscription.receive(1)
        async let isWanted = subscription.demand()
        subscription.cancel()
        #expect(await isWanted == false)
    }

    @Test func aCancelledTaskHasNoDemand() async {
        let subscription = Call().subscribe()
        subscription.request(1)
        subscription.receive(1)
        let task = _Concurrency.Task { await subscription.demand() }
        task.cancel()
        #expect(await task.value == false)
    }

    private func isSubscriberKept(after end: (CallSubscription<Int>) -> Void) -> Bool {
        final class Subscriber: Sendable {}
        weak var left: Subscriber?
        let call: CallSubscription<Int>
        do {
            let subscriber = Subscriber()
            left = subscriber
            call = CallSource<Int> { _ in CancellableToken {} }
                .subscription { _, _ in withExtendedLifetime(subscriber) {} }
        }
        call.request(.max)
        end(call)
        return left != nil
    }

    // MARK: Values

    /// A value whose release cancels the subscription.
    private final class Leaving: Sendable {
        private let subscription: CallSubscription<Leaving?>

        init(_ subscription: CallSubscription<Leaving?>) { self.subscription = subscription }

        deinit { subscription.cancel() }
    }

    @Test(.timeLimit(.minutes(1)), arguments: ["replaced", "cancelled", "overtaken"])
    func anUndeliveredValueMayCancelTheSubscription(how: String) {
        let token = CancellableToken {}
        let subscription = CallSource<Leaving?> { _ in token }.subscription { _, _ in }
        subscription.request(1)
        subscription.receive(nil)
        subscription.receive(Leaving(subscription))
        switch how {
        case "replaced": subscription.receive(nil)
        case "cancelled": subscription.cancel()
        default: subscription.finish(with: .failure(.requestMapping("")))
        }
        #expect(token.isCancelled == (how != "overtaken"))
    }
}
