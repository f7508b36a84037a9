import Foundation
import Moya
import MoyaSession
import MoyaTesting
import MoyaTransport
import Testing

/// Keys and callers that no call strands, and code of users within it.
extension InflightCallsTests {
    /// Moya has one entry here.
    @Test func keyIsGoneBeforeCompletionsRun() async throws {
        let counts = Recorder<Int>()
        let pair = await pair(inside: { counts.append($0.inflightRequests.count) })
        pair.exchange.answer()
        for result in pair.results { _ = try await result.value }
        #expect(counts.values == [0, 0])
    }

    /// Moya never completes the second call.
    @Test func completionMayCallTheSameTargetAgain() async throws {
        let transport = StepwiseTransport.answering()
        let provider = provider(transport)
        let promise = Promise<Result<Response, MoyaError>>()
        provider.request(.zen) { _ in
            provider.request(.zen) { promise.fulfill($0) }
        }
        #expect(try await promise.value.text == "answer")
        #expect(transport.requests.count == 2)
    }

    @Test func failedRequestClosureStrandsNothing() async {
        let provider = MoyaProvider<GitHub>(
            requestClosure: { _, done in done(.failure(.requestMapping("url"))) }, trackInflights: true)
        for _ in 0..<2 { #expect(await provider.end(of: .zen).error != nil) }
        #expect(provider.inflightRequests.isEmpty)
    }

    @Test func failedRequestClosureReportsNoProgress() async {
        let provider = MoyaProvider<GitHub>(
            requestClosure: { _, done in done(.failure(.requestMapping("url"))) }, trackInflights: true)
        let events = Recorder<ProgressResponse>()
        _ = await provider.end(of: .zen, progress: { events.append($0) })
        #expect(events.values.isEmpty)
    }

    @Test func callCancelledBeforeItsRequestExistsLeavesNoEntry() async throws {
        let held = HeldRequest()
        let provider = MoyaProvider<GitHub>(
            requestClosure: { held.closure($0, $1) }, stubClosure: MoyaProvider.immediatelyStub, trackInflights: true)
        let promise = Promise<Result<Response, MoyaError>>()
        provider.request(.zen) { promise.fulfill($0) }.cancel()
        #expect(provider.inflightRequests.isEmpty)
        async let second = provider.end(of: .zen)
        try await held.answer()
        #expect(try await promise.value.isCancelled)
        try await held.answer()
        #expect(await second.response?.data == GitHub.zen.sampleData)
    }

    @Test func callAfterAllCallersLeftIsNew() async throws {
        let (transport, exchanges) = StepwiseTransport.waiting()
        let provider = provider(transport)
        var started = exchanges.makeAsyncIterator()
        let token = provider.request(.zen) { _ in }
        _ = await started.next()
        token.cancel()
        let promise = Promise<Result<Response, MoyaError>>()
        provider.request(.zen) { promise.fulfill($0) }
        await started.next()?.answer()
        #expect(try await promise.value.text == "answer")
    }

    // MARK: User code

    /// Calls a closure whenever it encodes.
    private struct ClosureEncoding: ParameterEncoding {
        let onEncode: @Sendable () -> Void

        func encode(_ request: any URLRequestConvertible, with parameters: Parameters?) throws -> URLRequest {
            onEncode()
            return try request.asURLRequest()
        }
    }

    private struct ClosureEncodable: Encodable {
        let onEncode: @Sendable () -> Void

        func encode(to encoder: any Encoder) throws {
            onEncode()
            var container = encoder.singleValueContainer()
            try container.encode("value")
        }
    }

    @Test(arguments: [true, false]) func codeThatEncodesMayCallTheSameProvider(_ usesEncoding: Bool) async {
        let providers = Recorder<MoyaProvider<API>>()
        let onEncode: @Sendable () -> Void = { providers.values.first?.request(API()) { _ in } }
        let provider = MoyaProvider<API>(stubClosure: MoyaProvider.delayedStub(0.001), trackInflights: true)
        providers.append(provider)
        let task: RequestTask =
            usesEncoding
            ? .requestParameters(parameters: [:], encoding: ClosureEncoding(onEncode: onEncode))
            : .requestJSONEncodable(ClosureEncodable(onEncode: onEncode))
        let target = API(method: .post, task: task)
        async let one = provider.end(of: target)
        async let other = provider.end(of: target)
        #expect(await [one, other].compactMap(\.response).count == 2)
        providers.removeAll()
    }

    @Test func callThatIsEncodedDifferentlyEachTimeLeavesNoKey() async throws {
        let count = Recorder<Void>()
        let provider = MoyaProvider<API>(stubClosure: MoyaProvider.delayedStub(0.001), trackInflights: true)
        struct Counting: ParameterEncoding {
            let count: Recorder<Void>

            func encode(_ request: any URLRequestConvertible, with parameters: Parameters?) throws -> URLRequest {
                count.append(())
                var request = try request.asURLRequest()
                request.setValue("\(count.count)", forHTTPHeaderField: "X-Count")
                return request
            }
        }
        let task = RequestTask.requestParameters(parameters: [:], encoding: Counting(count: count))
        _ = await provider.end(of: API(task: task))
        #expect(provider.inflightRequests.isEmpty)
    }

    /// An endpoint that makes its call when it is released.
    @Test func endpointMayMakeItsCallWhenReleased() {
        final class Asking: Endpoint, @unchecked Sendable {
            let calls: Recorder<any Cancellable>

            init(_ calls: Recorder<any Cancellable>) {
                self.calls = calls
                super.init(
                    url: "https://example.com", sampleResponseClosure: { .networkResponse(200, Data()) }, method: .get,
                    task: .requestPlain, httpHeaderFields: nil)
            }

            deinit { _ = calls.values.first?.isCancelled }
        }
        let calls = Recorder<any Cancellable>()
        let provider = MoyaProvider<API>(endpointClosure: { _ in Asking(calls) }, requestClosure: { _, _ in })
        let call = provider.request(API()) { _ in }
        calls.append(call)
        call.cancel()
        #expect(call.isCancelled)
        calls.removeAll()
    }
}
