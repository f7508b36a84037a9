import Foundation
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct EventOutboxTests {
    private let monitor = CompositeEventMonitor(monitors: [])
    private var outbox = EventOutbox()

    private static func attempt(_ number: Int) -> RequestAttempt {
        RequestAttempt(number: number, urlRequest: URLRequest.to("http://a.example/"))
    }

    /// Appends events, takes those that are to be delivered, and returns their names.
    private mutating func names(after events: [RequestEvent], error: SessionError? = nil) -> [String] {
        for event in events { _ = outbox.append(event, for: monitor, error: error) }
        var names: [String] = []
        while let next = outbox.next() { names.append("\(next.event)".prefix { $0.isLetter }.description) }
        return names
    }

    @Test mutating func eventsAreDeliveredInTheirOrder() {
        #expect(
            names(after: [.didResume, .didCreateUploadable, .didFinish]) == [
                "didResume", "didCreateUploadable", "didFinish",
            ])
    }

    @Test mutating func oneCallerDeliversAtATime() {
        let first = [
            outbox.append(.didResume, for: monitor, error: nil), outbox.append(.didSuspend, for: monitor, error: nil),
        ]
        #expect(first == [true, false])
        while outbox.next() != nil {}
        let second = outbox.append(.didResume, for: monitor, error: nil)
        #expect(second)
    }

    @Test mutating func nothingFollowsTheEnd() {
        let late: [RequestEvent] = [.didCancel, .didCreateTask(Self.attempt(0)), .didReceiveBodyBytes(1), .didFinish]
        #expect(names(after: [.didFinish] + late) == ["didFinish"])
    }

    @Test mutating func aParsedResponseMayFollowTheEnd() {
        let parsed = AFDataResponse<Data?>(
            request: nil, response: nil, data: nil, metrics: nil, serializationDuration: 0, result: .success(nil))
        #expect(names(after: [.didFinish, .didParseDataResponse(parsed)]) == ["didFinish", "didParseDataResponse"])
    }

    @Test mutating func anAttemptThatTheEndOvertakesIsCompletedBeforeIt() {
        let attempt = Self.attempt(0)
        _ = outbox.append(.didCreateTask(attempt), for: monitor, error: nil)
        _ = outbox.append(.didFinish, for: monitor, error: .explicitlyCancelled)
        _ = outbox.append(.didCompleteTask(attempt, nil), for: monitor, error: nil)
        _ = outbox.next()
        guard case .didCompleteTask(attempt, .explicitlyCancelled?) = outbox.next()?.event else {
            Issue.record("The attempt was not completed.")
            return
        }
        #expect(names(after: []) == ["didFinish"])
    }

    @Test mutating func anAttemptThatHasCompletedIsNotCreatedAfterwards() {
        let attempt = Self.attempt(1)
        let late: [RequestEvent] = [
            .didCancelTask(attempt), .didCompleteTask(attempt, nil), .didCreateTask(attempt), .didResumeTask(attempt),
        ]
        #expect(names(after: late + [.didFinish]) == ["didFinish"])
    }

    @Test mutating func theNextAttemptIsReported() {
        let events: [RequestEvent] = (0...1).flatMap { number -> [RequestEvent] in
            [.didCreateTask(Self.attempt(number)), .didCompleteTask(Self.attempt(number), nil)]
        }
        let expected = ["didCreateTask", "didCompleteTask", "didCreateTask", "didCompleteTask"]
        #expect(names(after: events) == expected)
    }
}
