import Foundation
import Moya
import MoyaTesting
import Testing

import struct _Concurrency.Task

@Suite struct MoyaProviderAsyncTests {
    private struct User: Codable, Equatable, Sendable {
        var login: String
        var id: Int
    }

    private func provider(_ transport: StepwiseTransport) -> MoyaProvider<API> {
        MoyaProvider(session: Session(transport: transport))
    }

    private func stubbed(_ text: String, status: Int = 200) -> MoyaProvider<API> {
        MoyaProvider(
            endpointClosure: { target in
                Endpoint(
                    url: URL(target: target).absoluteString,
                    sampleResponseClosure: { .networkResponse(status, Data(text.utf8)) }, method: target.method,
                    task: target.task, httpHeaderFields: nil)
            }, stubClosure: MoyaProvider.immediatelyStub)
    }

    // MARK: Cancelled tasks

    @Test(arguments: [false, true]) func aCancelledTaskSendsNothing(tracksInflights: Bool) async {
        let transport = StepwiseTransport.answering()
        let plugin = RecordingPlugin()
        let provider = MoyaProvider<API>(
            session: Session(transport: transport), plugins: [plugin], trackInflights: tracksInflights)
        let isCancelled = await Task {
            withUnsafeCurrentTask { $0?.cancel() }
            do throws(MoyaError) {
                _ = try await provider.request(API())
                return false
            } catch {
                return Result<Response, MoyaError>.failure(error).isCancelled
            }
        }.value
        #expect(isCancelled)
        #expect(transport.requests.values.isEmpty)
        #expect(plugin.events.values == ["didReceive", "process"])
    }

    // MARK: Responses

    @Test func requestReturnsTheResponse() async throws {
        #expect(try await provider(.answering()).request(API()).mapString() == "answer")
    }

    @Test func requestReturnsTheSampleOfAStub() async throws {
        #expect(try await stubbed("sample").request(API()).mapString() == "sample")
    }

    @Test func requestThrowsAMoyaErrorAndNoOther() async {
        do throws(MoyaError) {
            _ = try await provider(.failing(.dns)).request(API())
            Issue.record("no error")
        } catch {
            let known: MoyaError = error
            #expect(known.underlyingError?.asAFError?.transportFailure?.kind == .dns)
        }
    }

    @Test func pluginsSeeTheCall() async throws {
        let events = Recorder<String>()
        let provider = MoyaProvider<API>(
            session: Session(transport: StepwiseTransport.answering()), plugins: [RecordingPlugin(events: events)])
        _ = try await provider.request(API())
        #expect(events.values == ["prepare", "willSend", "didReceive", "process"])
    }

    @Test func processCanRewriteTheResponse() async throws {
        let plugin = RecordingPlugin(onProcess: { $0.map { _ in Response(statusCode: 999, data: Data()) } })
        let provider = MoyaProvider<API>(stubClosure: MoyaProvider.immediatelyStub, plugins: [plugin])
        #expect(try await provider.request(API()).statusCode == 999)
    }

    @Test func failureOfTheRequestClosureIsThrown() async {
        let provider = MoyaProvider<API>(requestClosure: { _, done in done(.failure(.requestMapping("url"))) })
        guard
            case .requestMapping("url") = await #expect(
                throws: MoyaError.self, performing: { try await provider.request(API()) })
        else {
            Issue.record("no requestMapping")
            return
        }
    }

    @Test func overriddenRequestIsUsed() async throws {
        final class Provider: MoyaProvider<API>, @unchecked Sendable {
            override func request(
                _ target: API, callbackQueue: DispatchQueue?, progress: SendableProgressBlock?,
                completion: @escaping SendableCompletion
            ) -> any Cancellable {
                completion(.success(Response(statusCode: 299, data: Data())))
                return CancellableToken {}
            }
        }
        #expect(try await Provider().request(API()).statusCode == 299)
    }

    @Test func firstResultOfAnOverrideThatCompletesTwiceCounts() async throws {
        final class Provider: MoyaProvider<API>, @unchecked Sendable {
            let ends = Recorder<Int>()

            override func request(
                _ target: API, callbackQueue: DispatchQueue?, progress: SendableProgressBlock?,
                completion: @escaping SendableCompletion
            ) -> any Cancellable {
                for status in [201, 202] {
                    completion(.success(Response(statusCode: status, data: Data())))
                    ends.append(status)
                }
                return CancellableToken {}
            }
        }
        let provider = Provider()
        #expect(try await provider.request(API()).statusCode == 201)
        #expect(provider.ends.values == [201, 202])
    }

    @Test func equalCallsAreSharedWhenTheyAreTracked() async throws {
        let (transport, exchanges) = StepwiseTransport.waiting()
        let provider = MoyaProvider<API>(session: Session(transport: transport), trackInflights: true)
        let promise = Promise<Result<Response, MoyaError>>()
        provider.request(API()) { promise.fulfill($0) }
        async let response = provider.request(API())
        var exchange: ScriptedExchange?
        for await started in exchanges.prefix(1) { exchange = started }
        try await eventually { provider.inflightRequests.values.first?.count == 2 }
        exchange?.answer()
        #expect(try await response.mapString() == "answer")
        #expect(transport.requests.count == 1)
    }

    // MARK: Values

    @Test func valueIsDecoded() async throws {
        let user = try await stubbed(#"{"login":"a","id":1}"#).request(API(), as: User.self)
        #expect(user == User(login: "a", id: 1))
    }

    @Test func valueAtAKeyPathIsDecoded() async throws {
        let user = try await stubbed(#"{"user":{"login":"a","id":1}}"#).request(API(), as: User.self, atKeyPath: "user")
        #expect(user == User(login: "a", id: 1))
    }

    @Test func decoderIsUsed() async throws {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let value = try await stubbed(#"{"a_b":1}"#).request(API(), as: [String: Int].self, using: decoder)
        #expect(value == ["aB": 1] || value == ["a_b": 1])
    }

    @Test func emptyBodyMayBeAnEmptyValue() async throws {
        #expect(try await stubbed("").request(API(), as: [String: Int].self, failsOnEmptyData: false) == [:])
    }

    @Test func undecodableBodyIsAnObjectMappingError() async {
        let error = await #expect(throws: MoyaError.self) {
            try await stubbed("{}").request(API(), as: User.self)
        }
        guard case .objectMapping = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func statusOfFailureGivesNoValue() async {
        let error = await #expect(throws: MoyaError.self) {
            try await stubbed(#"{"login":"a","id":1}"#, status: 404).request(API(), as: User.self)
        }
        guard case .statusCode(let response) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(response.statusCode == 404)
    }

    @Test func targetThatValidatesJudgesTheStatusItself() async throws {
        let user = try await stubbed(#"{"login":"a","id":1}"#, status: 404)
            .request(API(validationType: .customCodes([404])), as: User.self)
        #expect(user.id == 1)
    }

    // MARK: Cancelling

    @Test func cancellingTheTaskCancelsTheCall() async {
        let (transport, exchanges) = StepwiseTransport.waiting()
        let provider = provider(transport)
        let task = Task { await Result { () async throws(MoyaError) in try await provider.request(API()) } }
        for await exchange in exchanges.prefix(1) {
            task.cancel()
            #expect(await task.value.isCancelled)
            #expect(exchange.cancellations.count == 1)
        }
    }

    @Test(arguments: [false, true]) func cancelledTaskEndsThoughTheRequestNeverComes(_ isCancelledBefore: Bool)
        async throws
    {
        let held = HeldRequest()
        let provider = MoyaProvider<API>(requestClosure: { held.closure($0, $1) })
        let task = Task { () async -> Result<Response, MoyaError> in
            if isCancelledBefore { withUnsafeCurrentTask { $0?.cancel() } }
            return await Result { () async throws(MoyaError) in try await provider.request(API()) }
        }
        if !isCancelledBefore {
            try await held.called()
            task.cancel()
        }
        #expect(await task.value.isCancelled)
    }

    @Test func cancelledTaskOfASharedCallEndsThoughTheRequestNeverComes() async throws {
        let held = HeldRequest()
        let provider = MoyaProvider<API>(requestClosure: { held.closure($0, $1) }, trackInflights: true)
        let task = Task { await Result { () async throws(MoyaError) in try await provider.request(API()) } }
        try await held.called()
        task.cancel()
        #expect(await task.value.isCancelled)
        #expect(provider.inflightRequests.isEmpty)
    }

    @Test(.timeLimit(.minutes(1)), arguments: [false, true])
    func cancelledTaskOfASubclassEndsThoughTheRequestNeverComes(_ isShared: Bool) async throws {
        final class Provider: MoyaProvider<API>, @unchecked Sendable {}
        let held = HeldRequest()
        let provider = Provider(requestClosure: { held.closure($0, $1) }, trackInflights: isShared)
        let task = Task { await Result { () async throws(MoyaError) in try await provider.request(API()) } }
        try await held.called()
        task.cancel()
        #expect(await task.value.isCancelled)
    }

    @Test(arguments: [nil, Duration.seconds(3_600)])
    func cancelledTaskEndsThoughAnOverrideHoldsTheCall(deadline: Duration?) async throws {
        final class Provider: MoyaProvider<API>, @unchecked Sendable {
            let held = Promise<Void>()

            override func request(
                _ target: API, callbackQueue: DispatchQueue?, progress: SendableProgressBlock?,
                completion: @escaping SendableCompletion
            ) -> any Cancellable {
                held.fulfill(())
                return CancellableToken {}
            }
        }
        let provider = Provider()
        let task = Task {
            await Result { () async throws(MoyaError) in
                guard let deadline else { return try await provider.request(API()) }
                return try await provider.request(API(), deadline: deadline)
            }
        }
        try await provider.held.value
        task.cancel()
        #expect(await task.value.isCancelled)
    }

    @Test func taskCancelledBeforeTheCallSendsNothing() async {
        let transport = StepwiseTransport.answering()
        let provider = provider(transport)
        let task = Task { () async -> Result<Response, MoyaError> in
            withUnsafeCurrentTask { $0?.cancel() }
            return await Result { () async throws(MoyaError) in try await provider.request(API()) }
        }
        #expect(await task.value.isCancelled)
        #expect(transport.requests.count == 0)
    }

    @Test func cancelledDelayedStubThrowsAtOnce() async throws {
        let events = Recorder<String>()
        let sent = Promise<Void>()
        let plugin = RecordingPlugin(events: events, onWillSend: { _, _ in sent.fulfill(()) })
        let provider = MoyaProvider<API>(stubClosure: MoyaProvider.delayedStub(3_600), plugins: [plugin])
        let task = Task { await Result { () async throws(MoyaError) in try await provider.request(API()) } }
        try await sent.value
        task.cancel()
        #expect(await task.value.isCancelled)
        #expect(events.values == ["prepare", "willSend", "didReceive", "process"])
    }

    @Test func cancellingTheTaskOfASharedCallKeepsTheOthers() async throws {
        let (transport, exchanges) = StepwiseTransport.waiting()
        let provider = MoyaProvider<API>(session: Session(transport: transport), trackInflights: true)
        let promise = Promise<Result<Response, MoyaError>>()
        provider.request(API()) { promise.fulfill($0) }
        let task = Task { await Result { () async throws(MoyaError) in try await provider.request(API()) } }
        for await exchange in exchanges.prefix(1) {
            try await eventually { provider.inflightRequests.values.first?.count == 2 }
            task.cancel()
            #expect(await task.value.isCancelled)
            exchange.answer()
        }
        #expect(try await promise.value.text == "answer")
    }

    // MARK: Lifetime

    @Test(arguments: [false, true]) func asyncCallKeepsItsProvider(_ tracksInflights: Bool) async {
        let (transport, exchanges) = StepwiseTransport.waiting()
        let task = Task {
            await Result { () async throws(MoyaError) in
                try await MoyaProvider<API>(session: Session(transport: transport), trackInflights: tracksInflights)
                    .request(API())
            }
        }
        for await exchange in exchanges.prefix(1) { exchange.answer() }
        #expect(await task.value.text == "answer")
    }
}

extension Result {
    /// Stores the result of the closure, or the error that it throws.
    fileprivate init(_ body: () async throws(Failure) -> Success) async {
        do throws(Failure) {
            self = .success(try await body())
        } catch {
            self = .failure(error)
        }
    }
}
