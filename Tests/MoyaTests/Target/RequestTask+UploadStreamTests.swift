import Foundation
import Moya
import MoyaSession
import MoyaTesting
import MoyaTransport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite(.timeLimit(.minutes(5))) struct RequestTaskUploadStreamTests {
    private func elements(_ texts: String...) -> AsyncStream<Data> {
        AsyncStream { continuation in
            for text in texts { continuation.yield(Data(text.utf8)) }
            continuation.finish()
        }
    }

    private func target(_ task: RequestTask, headers: [String: String]? = nil) -> API {
        API(method: .post, task: task, headers: headers)
    }

    private func provider(
        _ transport: MoyaTesting.ScriptedTransport, middleware: [any MoyaMiddleware] = []
    ) -> MoyaProvider<API> {
        MoyaProvider(session: Session(transport: transport), middleware: middleware)
    }

    private typealias Answer = MoyaTesting.ScriptedTransport.Answer

    // MARK: What is sent

    @Test func aTargetSendsASequence() async throws {
        let transport = MoyaTesting.ScriptedTransport(.response(200))
        _ = try await provider(transport).request(target(.uploadStream(elements("a", "b"))))
        #expect(transport.exchanges.map(\.body) == [Data("ab".utf8)])
        guard case .stream(_, nil) = transport.requests.first?.body else {
            Issue.record("the body is no stream of unknown length")
            return
        }
    }

    @Test func aTargetStatesTheLength() async throws {
        let transport = MoyaTesting.ScriptedTransport(.response(200))
        _ = try await provider(transport).request(target(.uploadStream(elements("a", "b"), length: 2)))
        guard case .stream(_, 2) = transport.requests.first?.body else {
            Issue.record("the body is no stream of 2 bytes")
            return
        }
    }

    @Test func parametersGoIntoTheURL() async throws {
        let transport = MoyaTesting.ScriptedTransport(.response(200))
        let task = RequestTask.uploadStream(elements("a"), urlParameters: ["name": "x"])
        _ = try await provider(transport).request(target(task))
        #expect(transport.requests.first?.url == "https://api.example.com/zen?name=x")
        #expect(transport.exchanges.first?.body == Data("a".utf8))
    }

    @Test func withoutParametersTheURLStays() async throws {
        let transport = MoyaTesting.ScriptedTransport(.response(200))
        _ = try await provider(transport).request(target(.uploadStream(elements("a"))))
        #expect(transport.requests.first?.url == "https://api.example.com/zen")
    }

    @Test func bytesHaveNoContentType() async throws {
        let transport = MoyaTesting.ScriptedTransport(.response(200))
        _ = try await provider(transport).request(target(.uploadStream(elements("a"))))
        #expect(transport.requests.first?.fields.contains { $0.name == "Content-Type" } == false)
    }

    @Test func valuesAreSentAsJSONLines() async throws {
        let transport = MoyaTesting.ScriptedTransport(.response(200))
        let rows = AsyncStream { continuation in
            for row in [["id": 1], ["id": 2]] { continuation.yield(row) }
            continuation.finish()
        }
        _ = try await provider(transport).request(target(.uploadJSONLines(rows)))
        #expect(transport.exchanges.first?.body == Data("{\"id\":1}\n{\"id\":2}\n".utf8))
        let type = transport.requests.first?.fields.first { $0.name == "Content-Type" }
        #expect(type?.value == "application/jsonl")
    }

    @Test func theTypeOfTheTargetStays() async throws {
        let transport = MoyaTesting.ScriptedTransport(.response(200))
        let rows = AsyncStream { continuation in
            continuation.yield(1)
            continuation.finish()
        }
        let target = target(.uploadJSONLines(rows), headers: ["Content-Type": "application/x-ndjson"])
        _ = try await provider(transport).request(target)
        let types = transport.requests.first?.fields.filter { $0.name == "Content-Type" }
        #expect(types?.map(\.value) == ["application/x-ndjson"])
    }

    @Test func progressIsThatOfTheUpload() async throws {
        let transport = MoyaTesting.ScriptedTransport(.response(200, body: "answer"))
        var completed: [Int64] = []
        for try await event in provider(transport).progress(of: target(.uploadStream(elements("abc"), length: 3))) {
            completed.append(event.progressObject?.completedUnitCount ?? 0)
        }
        #expect(completed.contains(3) && !completed.contains(6))
    }

    @Test func aStubDoesNotReadTheSequence() async throws {
        let asked = Watched(0)
        let elements = AsyncStream<Data> {
            asked.update { $0 += 1 }
            return nil
        }
        let provider = MoyaProvider<API>(stubClosure: MoyaProvider.immediatelyStub)
        _ = try await provider.request(target(.uploadStream(elements)))
        #expect(asked.value == 0)
    }

    // MARK: Errors and repetition

    @Test func anErrorOfTheSequenceIsTheCauseOfTheCallsError() async throws {
        struct Broken: Error {}
        let elements = AsyncThrowingStream<Data, any Error> { $0.finish(throwing: Broken()) }
        let error = await #expect(throws: MoyaError.self) {
            try await provider(MoyaTesting.ScriptedTransport(.response(200))).request(target(.uploadStream(elements)))
        }
        #expect(error?.sessionError?.underlyingError is Broken)
    }

    @Test func aCallOfASequenceIsNotRetried() async {
        let transport = MoyaTesting.ScriptedTransport(.response(503), .response(200))
        let target = API(method: .put, task: .uploadStream(elements("a")))
        let response = try? await provider(transport, middleware: [RetryMiddleware(backoff: .none)]).request(target)
        #expect(response?.statusCode == 503)
        #expect(transport.requests.count == 1)
    }

    @Test func aCallOfASequenceThatIsMadeAnewIsRetried() async throws {
        let transport = MoyaTesting.ScriptedTransport(.response(503), .response(200))
        let stream = UploadStream {
            AsyncStream<Data> {
                $0.yield(Data("a".utf8)); $0.finish()
            }
        }
        let target = API(method: .put, task: .uploadStream(stream))
        let response = try await provider(transport, middleware: [RetryMiddleware(backoff: .none)]).request(target)
        #expect(response.statusCode == 200)
        #expect(transport.exchanges.map(\.body) == [Data("a".utf8), Data("a".utf8)])
    }

    // MARK: Endpoints

    private func endpoint(_ task: RequestTask) -> Endpoint { MoyaProvider<API>().endpoint(target(task)) }

    @Test func endpointsOfOneSequenceAreEqual() {
        let task = RequestTask.uploadStream(elements())
        #expect(endpoint(task) == endpoint(task))
    }

    @Test func endpointsOfTwoSequencesDiffer() {
        #expect(endpoint(.uploadStream(elements())) != endpoint(.uploadStream(elements())))
    }

    @Test func theTaskIsPrintedByItsName() {
        #expect("\(RequestTask.uploadStream(elements(), length: 5))" == "uploadStream(5 bytes, 0)")
        #expect("\(RequestTask.uploadStream(elements()))" == "uploadStream(unknown length, 0)")
    }
}
