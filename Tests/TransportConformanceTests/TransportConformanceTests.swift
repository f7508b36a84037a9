import Dispatch
import MoyaTesting
import MoyaTransport
import MoyaURLSession
import Testing
import TransportConformance

/// The suite itself: its contents, and that it can fail.
@Suite(.timeLimit(.minutes(5))) struct TransportConformanceTests {
    @Test func thereAreAtLeastAHundredAndFiftyBehaviors() {
        #expect(TransportConformance.behaviors.count >= 150)
    }

    @Test func behaviorNamesAreUnique() {
        let names = TransportConformance.behaviors.map(\.name)
        #expect(Dictionary(grouping: names) { $0 }.filter { $0.value.count > 1 }.keys.sorted() == [])
    }

    @Test func aTransportThatNeverAnswersIsDetected() async {
        // Groups whose behaviours wait only for the transport.
        let groups = [
            "methods", "targets", "status lines", "response fields", "refusals", "content codings", "failures",
        ]
        let behaviors = TransportConformance.behaviors.filter { groups.contains($0.group) }
        let report = await TransportConformance.report(on: "none", behaviors: behaviors) {
            ScriptedTransport(.failure(.other))
        }
        #expect(!report.isClean)
        #expect(report.broken.count == report.entries.count)
        #expect(report.keptCount == 0, "\(report)")
    }

    @Test func aDeclaredExceptionIsShownAndExcused() async throws {
        let behavior = try #require(TransportConformance.behaviors.first)
        let report = await TransportConformance.report(
            on: "none", behaviors: [behavior], exceptions: [.init(behavior: behavior.name, reason: "it has no network")]
        ) {
            ScriptedTransport(.failure(.other))
        }
        #expect(report.isClean)
        #expect(report.exceptedCount == 1)
        #expect("\(report)".contains("because it has no network"))
    }

    @Test func forbiddenExceptionIsShownWithoutRunning() async throws {
        let behavior = try #require(TransportConformance.behaviors.first)
        let report = await TransportConformance.report(
            on: "none", behaviors: [behavior], exceptions: [.init(behavior: behavior.name, notRun: "it would trap")]
        ) {
            Issue.record("a transport was made for it")
            return ScriptedTransport(.failure(.other))
        }
        #expect(report.isClean)
        #expect(report.notRunCount == 1)
        #expect(report.keptCount == 0)
        #expect("\(report)".contains("because it would trap"))
    }

    private func verdict(onBlockingIn transport: any Transport) async throws -> TransportConformance.Verdict {
        let behavior = try #require(
            TransportConformance.behaviors.first { $0.name.hasPrefix("a sink that blocks delays no other exchange") })
        let report = await TransportConformance.report(on: "any", behaviors: [behavior]) { transport }
        return try #require(report.entries.first).verdict
    }

    @Test func aSinkMayBlockWhereEachExchangeHasAThread() async throws {
        #expect(try await verdict(onBlockingIn: QueueTransport(queue: nil)) == .kept)
    }

    @Test func aQueueOfAllExchangesThatASinkBlocksIsDetected() async throws {
        let transport = QueueTransport(queue: DispatchQueue(label: "exchanges"))
        guard case .broken = try await verdict(onBlockingIn: transport) else {
            Issue.record("the delay of the other exchange was not noticed")
            return
        }
    }

    @Test func aRefusedRequestThatIsSentLaterIsDetected() async throws {
        let behavior = try #require(
            TransportConformance.behaviors.first { $0.name == "an upgrade is refused unsent" })
        let report = await TransportConformance.report(on: "late", behaviors: [behavior]) { LateTransport() }
        #expect(report.broken.count == 1)
    }

    @Test func aBehaviorThatDoesNotApplyIsShownAsNotRun() async throws {
        let transport = ScriptedTransport(.response(200), deliversWhereCodeMayBlock: false)
        guard case .notRun(let reason) = try await verdict(onBlockingIn: transport) else {
            Issue.record("it was run")
            return
        }
        #expect(reason.contains("must not block"))
        #expect(transport.requests.isEmpty)
    }

    @Test func anExceptionThatNamesNoBehaviorIsReported() async {
        let report = TransportConformance.Report(
            transport: "any", entries: [], unknownExceptions: [.init(behavior: "flies", reason: "no wings")])
        #expect(!report.isClean)
    }
}

/// Refuses requests with fields, but sends them before the next request without.
private final class LateTransport: Transport {
    private let wire = URLSessionTransport()
    private let refused = Lock<[HTTPRequest]>([])

    func start(_ request: HTTPRequest, delivering sink: any TransportSink) -> any TransportExchange {
        if request.fields.isEmpty {
            let refused = refused.withLock { $0 }
            Task {
                for var request in refused {
                    request.fields = []
                    let late = ListeningSink()
                    _ = wire.start(request, delivering: late)
                    _ = try await late.waitForEnd()
                }
                _ = wire.start(request, delivering: sink)
            }
        } else {
            refused.withLock { $0.append(request) }
            _ = sink.receive(.end(TransportEnd(failure: TransportFailure(.unsupported, message: "refused"))))
        }
        return SilentExchange()
    }
}

/// Answers every exchange with an empty response, on one queue or on one for each.
private struct QueueTransport: Transport {
    let queue: DispatchQueue?

    func start(_ request: HTTPRequest, delivering sink: any TransportSink) -> any TransportExchange {
        (queue ?? DispatchQueue(label: "exchange")).async {
            _ = sink.receive(.head(TransportResponseHead(status: 200, fields: [])))
            _ = sink.receive(.end(TransportEnd()))
        }
        return SilentExchange()
    }
}

private final class SilentExchange: TransportExchange {
    func cancel() {}
    func pause() {}
    func resume() {}
}
