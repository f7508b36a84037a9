import Foundation
import Moya
import MoyaSession
import MoyaTesting
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Subclasses of `Session` whose methods start requests before a provider has them.
@Suite struct StartingSessionTests {
    /// Starts each request in the given way.
    private final class StartingSession: Session, @unchecked Sendable {
        var starts: (StartingSession, DataRequest) -> Void = { $1.resume() }

        override func request(
            _ convertible: any URLRequestConvertible, interceptor: (any RequestInterceptor)? = nil
        ) -> DataRequest {
            let request = super.request(convertible, interceptor: interceptor)
            starts(self, request)
            return request
        }

        /// A request that the override does not start.
        func other() throws -> DataRequest {
            super.request(try URLRequest(url: "https://example.com/other", method: .get), interceptor: nil)
        }
    }

    private struct Signature: PluginType {
        func prepare(_ request: URLRequest, target: any TargetType) -> URLRequest {
            var request = request
            request.setValue("signed", forHTTPHeaderField: "X-Signature")
            return request
        }
    }

    private let transport = StepwiseTransport.answering()

    private func call(
        _ stub: StubBehavior = .never, _ starts: @escaping (StartingSession, DataRequest) -> Void = { $1.resume() }
    ) async -> Result<Response, MoyaError> {
        let session = StartingSession(transport: transport)
        session.starts = starts
        let provider = MoyaProvider<API>(stubClosure: { _ in stub }, session: session, plugins: [Signature()])
        return await provider.end(of: API())
    }

    private var signatures: [String?] {
        transport.requests.values.map { request in request.fields.first { $0.name == "X-Signature" }?.value }
    }

    @Test func requestThatIsResumedPassesThePlugins() async throws {
        #expect(try await call().get().statusCode == 200)
        #expect(signatures == ["signed"])
    }

    @Test func requestThatItsFirstHandlerStartsPassesThePlugins() async throws {
        #expect(try await call { $1.response { _ in } }.get().statusCode == 200)
        #expect(signatures == ["signed"])
    }

    @Test func stubOfARequestThatIsResumedSendsNothing() async throws {
        #expect(try await call(.immediate).get().statusCode == 200)
        #expect(transport.requests.count == 0)
    }

    /// Its tasks inherit what holds the request back.
    @Test(.timeLimit(.minutes(1))) func requestOfATaskThatOutlivesTheMethodIsSent() async throws {
        let hasReturned = Gate()
        let end = Promise<Int?>()
        let result = await call(.immediate) { session, _ in
            _Concurrency.Task {
                try await hasReturned.wait()
                end.fulfill(try await session.other().serializingData().response.response?.statusCode)
            }
        }
        #expect(try result.get().statusCode == 200)
        hasReturned.open()
        #expect(try await end.value == 200)
    }

    @Test func requestOfAnotherSessionIsNotHeld() async {
        let other = Session(transport: StepwiseTransport.answering())
        let result = await call(.immediate) { _, _ in
            let arrived = DispatchSemaphore(value: 0)
            other.request("https://example.com/other").response(queue: .global()) { _ in arrived.signal() }
            #expect(arrived.wait(timeout: .now() + 30) == .success)
        }
        #expect(result.error == nil)
    }

    @Test func anotherRequestThatIsSuspendedAgainIsNotSent() async throws {
        let other = Promise<DataRequest>()
        let result = await call(.immediate) { session, _ in
            if let request = try? session.other().resume() { other.fulfill(request.suspend()) }
        }
        #expect(try result.get().statusCode == 200)
        #expect(try await other.value.isSuspended)
        #expect(transport.requests.count == 0)
    }

    @Test func anotherRequestOfTheSessionIsSentUnchanged() async throws {
        #expect(try await call(.immediate) { session, _ in _ = try? session.other().resume() }.get().statusCode == 200)
        #expect(signatures == [nil])
    }
}
