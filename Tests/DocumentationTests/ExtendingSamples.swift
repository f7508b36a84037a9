import Foundation
import Moya
// snippet: interceptor
import MoyaSession
// end
import MoyaTesting
import Testing
import TransportConformance

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The samples of the article Extending.
@Suite struct ExtendingSamples {
    // snippet: plugin
    struct RequestNumber: PluginType {
        func prepare(_ request: URLRequest, target: any TargetType) -> URLRequest {
            var request = request
            request.setValue(UUID().uuidString, forHTTPHeaderField: "X-Request-ID")
            return request
        }
    }
    // end

    // snippet: middleware
    struct Hedge: MoyaMiddleware {
        let after: Duration

        func intercept(_ call: MiddlewareCall, next: NextMiddleware) async throws(MoyaError) -> Response {
            guard call.target.method == .get else { return try await next(call) }
            let result = await withTaskGroup(of: Result<Response, MoyaError>.self) { group in
                group.addTask { await attempt(call, next) }
                group.addTask {
                    try? await call.clock.sleep(for: after)
                    return await attempt(call.again(), next)
                }
                defer { group.cancelAll() }
                return await group.next() ?? .failure(.cancelled)
            }
            return try result.get()
        }

        private func attempt(_ call: MiddlewareCall, _ next: NextMiddleware) async -> Result<Response, MoyaError> {
            do throws(MoyaError) {
                return .success(try await next(call))
            } catch {
                return .failure(error)
            }
        }
    }
    // end

    @Test func theFasterAnswerCounts() async throws {
        let provider = MoyaProvider<Shop>(
            stubClosure: MoyaProvider.immediatelyStub, middleware: [Hedge(after: .seconds(60))],
            plugins: [RequestNumber()])
        let response = try await provider.request(.items)
        #expect(response.request?.value(forHTTPHeaderField: "X-Request-ID") != nil)
    }

    // snippet: interceptor
    struct Signing: AsyncRequestInterceptor {
        let signature: @Sendable (URLRequest) async throws -> String

        func adapt(_ urlRequest: URLRequest, for session: Session) async throws -> URLRequest {
            var signed = urlRequest
            signed.setValue(try await signature(urlRequest), forHTTPHeaderField: "X-Signature")
            return signed
        }

        func retry(_ request: Request, for session: Session, dueTo error: any Error) async -> RetryResult {
            request.response?.statusCode == 403 && request.retryCount == 0 ? .retry : .doNotRetry
        }
    }
    // end

    private func interceptors(signature: @escaping @Sendable (URLRequest) async throws -> String) {
        // snippet: session
        let session = Session(startRequestsImmediately: false, interceptor: Signing(signature: signature))
        let provider = MoyaProvider<Shop>(session: session)
        // end
        print(provider)
    }

    // snippet: counter
    actor CallCounter: MoyaMiddleware {
        private(set) var count = 0

        func intercept(_ call: MiddlewareCall, next: NextMiddleware) async throws(MoyaError) -> Response {
            count += 1
            return try await next(call)
        }
    }
    // end

    // snippet: transport
    struct Watched: Transport {
        let base: any Transport

        func start(_ request: HTTPRequest, delivering sink: any TransportSink) -> any TransportExchange {
            print(request.method, request.url)
            return base.start(request, delivering: sink)
        }

        var deliversWhereCodeMayBlock: Bool { base.deliversWhereCodeMayBlock }
        var configurationFailure: TransportFailure? { base.configurationFailure }
        var clientIdentityDigest: String? { base.clientIdentityDigest }
        var authenticationSchemes: Set<TransportAuthentication.Scheme> { base.authenticationSchemes }
    }
    // end

    private func transports() {
        // snippet: transport of a session
        let session = Session(
            startRequestsImmediately: false, transport: Watched(base: Session.default.transport))
        // end
        print(session)
    }

    // snippet: delayed transport
    struct Delayed: Transport {
        let inner: any Transport
        let delay: DispatchTimeInterval

        func start(_ request: HTTPRequest, delivering sink: any TransportSink) -> any TransportExchange {
            let exchange = DeferredExchange(delivering: sink)
            DispatchQueue.global().asyncAfter(deadline: .now() + delay) { exchange.start(request, over: inner) }
            return exchange
        }
    }
    // end

    private func stages() {
        // snippet: stages of a session
        let slow = TransportStage { Delayed(inner: $0, delay: .milliseconds(100)) }
        let session = Session(startRequestsImmediately: false, transports: [slow])
        // end
        print(session)
    }

    private func held() async {
        // snippet: conformance
        let report = await TransportConformance.report(on: "Watched") {
            Watched(base: Session.default.transport)
        }
        print(report)
        // end
    }
}
