import Foundation
import Moya
import MoyaTesting
import Testing

import struct _Concurrency.Task

@Suite struct ProgressSequenceTests {
    private static func quarters(_ exchange: ScriptedExchange) {
        exchange.head(200, ["Content-Length": "4000"])
        for _ in 0..<4 { exchange.chunk(Data(repeating: 0, count: 1_000)) }
        exchange.end()
    }

    private func provider(_ transport: StepwiseTransport) -> MoyaProvider<API> {
        MoyaProvider(session: Session(transport: transport))
    }

    @Test func yieldsTheProgressOfTheCall() async throws {
        var values: [Double] = []
        for try await event in provider(StepwiseTransport { Self.quarters($1) }).progress(of: API()) {
            values.append(event.progress)
        }
        #expect(values == [0.25, 0.5, 0.75, 1, 1])
    }

    @Test func onlyTheLastElementHasTheResponse() async throws {
        var responses: [Int?] = []
        for try await event in provider(StepwiseTransport { Self.quarters($1) }).progress(of: API()) {
            responses.append(event.response?.data.count)
        }
        #expect(responses == [nil, nil, nil, nil, 4_000])
    }

    @Test func lastElementHasTheCount() async throws {
        var last: ProgressResponse?
        for try await event in provider(StepwiseTransport { Self.quarters($1) }).progress(of: API()) { last = event }
        #expect(last?.progressObject?.completedUnitCount == 4_000)
    }

    @Test func aCancelledTaskSendsNothing() async {
        let transport = StepwiseTransport.answering()
        let provider = provider(transport)
        await Task {
            withUnsafeCurrentTask { $0?.cancel() }
            await #expect(throws: MoyaError.self) { for try await _ in provider.progress(of: API()) {} }
        }.value
        #expect(transport.requests.values.isEmpty)
    }

    @Test func failureIsThrownAsAMoyaError() async {
        do throws(MoyaError) {
            for try await event in provider(.failing(.reset)).progress(of: API()) { #expect(!event.completed) }
            Issue.record("no error")
        } catch {
            let known: MoyaError = error
            #expect(known.underlyingError?.asAFError?.transportFailure?.kind == .reset)
        }
    }

    @Test func stubYieldsItsEnd() async throws {
        let provider = MoyaProvider<API>(stubClosure: MoyaProvider.immediatelyStub)
        var last: ProgressResponse?
        for try await event in provider.progress(of: API()) { last = event }
        #expect(last?.response?.data == API().sampleData)
    }

    @Test func leavingTheLoopCancelsTheCall() async throws {
        let cancelled = Promise<Void>()
        let transport = StepwiseTransport { _, exchange in
            exchange.whenCancelled { cancelled.fulfill(()) }
            exchange.head(200, ["Content-Length": "100"])
            exchange.chunk(Data("half".utf8))
        }
        let provider = provider(transport)
        for try await _ in provider.progress(of: API()) { break }
        try await cancelled.value
    }

    @Test func cancellingTheTaskThrowsTheCancelledError() async {
        let (transport, exchanges) = StepwiseTransport.waiting()
        let provider = provider(transport)
        let task = Task { () async -> Result<Response, MoyaError> in
            do throws(MoyaError) {
                for try await _ in provider.progress(of: API()) {}
                return .failure(.requestMapping("ended without an error"))
            } catch {
                return .failure(error)
            }
        }
        for await _ in exchanges.prefix(1) { task.cancel() }
        #expect(await task.value.isCancelled)
    }

    @Test func eachIterationIsANewCall() async throws {
        let transport = StepwiseTransport.answering()
        let sequence = provider(transport).progress(of: API())
        #expect(transport.requests.count == 0)
        for try await _ in sequence {}
        for try await _ in sequence {}
        #expect(transport.requests.count == 2)
    }

    @Test func sequenceKeepsItsProvider() async throws {
        let sequence = MoyaProvider<API>(session: Session(transport: StepwiseTransport.answering())).progress(of: API())
        var text: String?
        for try await event in sequence { text = try event.response?.mapString() ?? text }
        #expect(text == "answer")
    }

    @Test func slowReaderReceivesTheEnd() async throws {
        let transport = StepwiseTransport { _, exchange in
            exchange.head(200, ["Content-Length": "1000"])
            for _ in 0..<1_000 { exchange.chunk(Data([0])) }
            exchange.end()
        }
        let provider = provider(transport)
        var iterator = provider.progress(of: API()).makeAsyncIterator()
        _ = await provider.end(of: API())
        var last: ProgressResponse?
        while let event = try await iterator.next() { last = event }
        #expect(last?.completed == true)
    }
}
