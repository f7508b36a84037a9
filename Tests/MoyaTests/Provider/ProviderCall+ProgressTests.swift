import Foundation
import Moya
import MoyaSession
import MoyaTesting
import Testing

/// Progress as a completion's caller sees it.
@Suite struct CallProgressTests {
    private func events(_ task: RequestTask, _ script: @escaping StepwiseTransport.Script) async -> [ProgressResponse] {
        let events = Recorder<ProgressResponse>()
        let provider = MoyaProvider<API>(session: Session(transport: StepwiseTransport(script)))
        _ = await provider.end(of: API(method: .post, task: task), progress: { events.append($0) })
        return events.values
    }

    private func quarters(_ length: String?) -> StepwiseTransport.Script {
        { _, exchange in
            exchange.head(200, length.map { ["Content-Length": $0] } ?? [:])
            for _ in 0..<4 { exchange.chunk(Data(repeating: 0, count: 1_000)) }
            exchange.end()
        }
    }

    private static func tasks() throws -> [RequestTask] {
        // Kept by the closure, and removed with it.
        let directory = try TestDirectory()
        return [
            .requestPlain,
            .downloadDestination { _, _ in (directory.url.appendingPathComponent("file"), [.removePreviousFile]) },
        ]
    }

    @Test(arguments: [0, 1]) func fourChunksAreFourQuartersAndAnEnd(_ index: Int) async throws {
        let events = await events(try Self.tasks()[index], quarters("4000"))
        #expect(events.map(\.progress) == [0.25, 0.5, 0.75, 1, 1])
    }

    @Test func aCallThatMadeNoRequestReportsNothing() async throws {
        let events = Recorder<ProgressResponse>()
        let held = HeldRequest()
        let provider = MoyaProvider<API>(requestClosure: { held.closure($0, $1) })
        let promise = Promise<Result<Response, MoyaError>>()
        provider.request(API(), progress: { events.append($0) }) { promise.fulfill($0) }.cancel()
        try await held.answer()
        #expect(try await promise.value.isCancelled)
        #expect(events.values.isEmpty)
    }

    @Test(arguments: [0, 1]) func onlyTheLastEventIsCompleted(_ index: Int) async throws {
        let events = await events(try Self.tasks()[index], quarters("4000"))
        #expect(events.map(\.completed) == [false, false, false, false, true])
    }

    @Test(arguments: [0, 1]) func everyEventHasAProgressObject(_ index: Int) async throws {
        let events = await events(try Self.tasks()[index], quarters("4000"))
        #expect(events.compactMap(\.progressObject).count == 5)
    }

    @Test(arguments: [0, 1]) func allEventsHaveOneProgressObject(_ index: Int) async throws {
        let events = await events(try Self.tasks()[index], quarters("4000"))
        #expect(Set(events.compactMap(\.progressObject).map(ObjectIdentifier.init)).count == 1)
        #expect(events.map(\.progress) == [0.25, 0.5, 0.75, 1, 1])
    }

    @Test(arguments: [0, 1], [nil, "none", "-1"]) func unknownLengthIsNoProgressUntilTheEnd(
        _ index: Int, _ length: String?
    ) async throws {
        let events = await events(try Self.tasks()[index], quarters(length))
        #expect(events.map(\.progress) == [0, 0, 0, 0, 1])
        #expect(events.map(\.completed) == [false, false, false, false, true])
    }

    private func upload(_ task: RequestTask) async -> [ProgressResponse] {
        await events(task) { request, exchange in
            #expect(request.reportsSentBytes)
            exchange.sent(2, of: 4)
            exchange.sent(4, of: 4)
            exchange.answer()
        }
    }

    @Test func uploadOfAFileReportsSentBytes() async throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("moya-upload-\(UUID().uuidString)")
        try Data("file".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let events = await upload(.uploadFile(file))
        #expect(events.map(\.progress) == [0.5, 1, 1])
        #expect(events.map(\.completed) == [false, false, true])
    }

    @Test func uploadOfAFormReportsSentBytes() async {
        let part = MultipartFormData(provider: .data(Data("part".utf8)), name: "name")
        let events = await upload(.uploadMultipart([part]))
        #expect(events.map(\.progress) == [0.5, 1, 1])
        #expect(events.compactMap(\.progressObject).count == 3)
    }

    @Test func failureHasAFinalEventWithoutAResponse() async {
        let events = await events(.requestPlain) { _, exchange in
            exchange.head(200, ["Content-Length": "4"])
            exchange.chunk(Data("ab".utf8))
            exchange.end(TransportFailure(.reset, message: "as scripted"))
        }
        #expect(events.map(\.progress) == [0.5, 0.5])
        #expect(events.allSatisfy { $0.response == nil })
    }

    @Test func countsSentBytesOnlyForAProgressClosure() async {
        let transport = StepwiseTransport.answering()
        let part = MultipartFormData(provider: .data(Data("part".utf8)), name: "name")
        _ = await MoyaProvider<API>(session: Session(transport: transport))
            .end(of: API(method: .post, task: .uploadMultipart([part])))
        #expect(transport.requests.values.map(\.reportsSentBytes) == [false])
    }

    /// The first event waits for the next one, which must not come before it has returned.
    @Test func eventsOnAConcurrentQueueAreNotReportedAtTheSameTime() async {
        let (begins, overlaps) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let provider = MoyaProvider<API>(
            session: Session(
                transport: StepwiseTransport { _, exchange in
                    exchange.head(200, ["Content-Length": "2"])
                    exchange.chunk(Data("a".utf8))
                    begins.wait()
                    exchange.chunk(Data("b".utf8))
                    exchange.end()
                }))
        let events = Recorder<Double>()
        let waits = Recorder<DispatchTimeoutResult>()
        await withCheckedContinuation { continuation in
            provider.request(
                API(), callbackQueue: DispatchQueue(label: "callbacks", attributes: .concurrent),
                progress: { event in
                    if event.progress == 0.5 {
                        begins.signal()
                        waits.append(overlaps.wait(timeout: .now() + 0.2))
                    } else {
                        overlaps.signal()
                    }
                    events.append(event.progress)
                },
                completion: { _ in continuation.resume() })
        }
        #expect(waits.values == [.timedOut])
        #expect(events.values == [0.5, 1, 1])
    }
}
