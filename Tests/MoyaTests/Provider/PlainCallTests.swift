import Foundation
import MoyaSession
import MoyaTesting
import Testing

@testable import Moya

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A call with nothing to encode needs no endpoint and no `URLRequest`; no observer can see the difference.
@Suite struct PlainCallTests {
    /// The observable parts of a call.
    private struct Seen: Equatable {
        /// The requests that the transport received, as text; empty if it received none.
        var sent: [String]
        var status: Int?
        var body: Data?
        var request: String
        var response: String
        var error: String
    }

    /// The form in which the caller waits.
    enum Form: CaseIterable, Sendable {
        case awaited, completion, stubbed, stubbedAndAwaited

        var isStubbed: Bool { self == .stubbed || self == .stubbedAndAwaited }
        var isAwaited: Bool { self == .awaited || self == .stubbedAndAwaited }
    }

    private static let targets: [API] =
        [
            API(), API(method: .head), API(method: .delete), API(method: .post),
            API(method: Moya.Method(rawValue: "PURGE")), API(method: Moya.Method(rawValue: "get")),
            API(method: Moya.Method(rawValue: "Purge")),
            API(validationType: .successCodes), API(validationType: .customCodes([404])),
            API(headers: ["X-A": "b"]), API(headers: ["Accept": "text/plain", "X-B": ""]),
            API(headers: ["X-Twin": "one", "x-twin": "one"]), API(headers: ["Cookie": "own=1"]),
            API(headers: ["Authorization": "Bearer secret", "User-Agent": "me"]),
            API(headers: ["X-Injected": "a\r\nb: c"]), API(headers: ["bad name": "c"]),
            API(method: Moya.Method(rawValue: "")),
        ]
        + [
            "http://h.example", "https://h.example/", "https://h.example/v1", "https://h.example/v1/?q=1#part",
            "https://user:word@h.example", "ftp://h.example", "file:///tmp", "https://[::1]:8443/base",
            "HTTPS://H.example",
        ].flatMap { base in
            ["", "/", "zen", "/zen", "/a b", "/a/../b", "/ä?x#y", "//double", "/dots.json", "/slash/"].compactMap {
                path in
                URL(string: base).map { API(baseURL: $0, path: path) }
            }
        }

    private func see(_ target: API, _ form: Form, isPlain: Bool, answering status: Int) async throws -> Seen {
        let transport = StepwiseTransport.answering(status)
        let session = Session(transport: transport)
        let stub: MoyaProvider<API>.StubClosure = { _ in form.isStubbed ? .immediate : .never }
        let provider =
            isPlain
            ? MoyaProvider<API>(stubClosure: stub, session: session)
            : MoyaProvider<API>(
                endpointClosure: MoyaProvider.defaultEndpointMapping, stubClosure: stub, session: session)
        let result: Result<Response, MoyaError>
        if form.isAwaited {
            do throws(MoyaError) { result = .success(try await provider.request(target)) } catch {
                result = .failure(error)
            }
        } else {
            let promise = Promise<Result<Response, MoyaError>>()
            provider.request(target, callbackQueue: .global()) { promise.fulfill($0) }
            result = try await promise.value
        }
        let sent = transport.requests.values.map { request in
            "\(request.method) \(request.url) \(request.fields.map { "\($0.name.lowercased()): \($0.value)" }.sorted()) "
                + "\(request.body) \(request.timeouts.connect as Any) \(request.timeouts.idle as Any) "
                + "\((request.timeouts.total ?? 0).rounded())"
        }
        var response: Response?
        var error = ""
        switch result {
        case .success(let known): response = known
        case .failure(let known): (response, error) = (known.response, "\(known)")
        }
        return Seen(
            sent: sent, status: response?.statusCode, body: response?.data,
            request: text(of: response?.request), response: "\(response?.response?.url as Any)", error: error)
    }

    @Test(arguments: Form.allCases, [200, 404]) func isTheSameCallAsOneWithAnEndpoint(_ form: Form, _ status: Int)
        async throws
    {
        for target in Self.targets {
            let plain = try await see(target, form, isPlain: true, answering: status)
            let other = try await see(target, form, isPlain: false, answering: status)
            #expect(plain == other, "\(target)")
        }
    }

    @Test func skipsOnlyUnobservableSteps() throws {
        func isPlain(_ provider: MoyaProvider<API>, _ target: API = API()) -> Bool {
            provider.input(of: target).isPlain
        }
        final class Subclass: MoyaProvider<API>, @unchecked Sendable {}
        final class OwnSession: Session, @unchecked Sendable {}
        #expect(isPlain(MoyaProvider()))
        #expect(isPlain(MoyaProvider(plugins: [RecordingPlugin(events: Recorder())])))
        #expect(!isPlain(MoyaProvider(trackInflights: true)))
        #expect(!isPlain(MoyaProvider(endpointClosure: MoyaProvider.defaultEndpointMapping)))
        #expect(!isPlain(MoyaProvider(requestClosure: MoyaProvider<API>.defaultRequestMapping)))
        #expect(!isPlain(Subclass()))
        #expect(!isPlain(MoyaProvider(session: OwnSession())))
        #expect(!isPlain(MoyaProvider(), API(task: .requestData(Data()))))
        #expect(!isPlain(MoyaProvider(), API(baseURL: try #require(URL(string: "https://user:word@h.example")))))
        #expect(!isPlain(MoyaProvider(), API(headers: ["A": "1", "a": "2"])))
    }

    @Test func tasksWithSomethingToEncodeAreEncoded() async throws {
        let transport = StepwiseTransport.answering()
        let provider = MoyaProvider<API>(session: Session(transport: transport))
        _ = try await provider.request(API(method: .post, task: .requestData(Data("body".utf8))))
        _ = try await provider.request(
            API(task: .requestParameters(parameters: ["q": 1], encoding: URLEncoding.default)))
        #expect(transport.requests.values.map(\.method) == ["POST", "GET"])
        #expect(transport.requests.values.last?.url == "https://api.example.com/zen?q=1")
    }

    // MARK: Observers of a request see one

    @Test func pluginsSeeTheURLRequest() async throws {
        final class Seer: PluginType {
            let seen = Recorder<String>()

            func prepare(_ request: URLRequest, target: any TargetType) -> URLRequest {
                seen.append(text(of: request))
                var request = request
                request.setValue("mine", forHTTPHeaderField: "X-Plugin")
                return request
            }

            func willSend(_ request: any RequestType, target: any TargetType) {
                seen.append(text(of: request.request))
            }
        }
        let seer = Seer()
        let transport = StepwiseTransport.answering()
        let provider = MoyaProvider<API>(session: Session(transport: transport), plugins: [seer])
        let response = try await provider.request(API(headers: ["X-A": "b"]))
        let before = #"GET https://api.example.com/zen ["x-a: b"] 60.0"#
        let after = #"GET https://api.example.com/zen ["x-a: b", "x-plugin: mine"] 60.0"#
        #expect(seer.seen.values == [before, after])
        #expect(text(of: response.request) == after)
        #expect(transport.requests.values.first?.fields.contains { $0.name == "X-Plugin" } == true)
    }

    @Test func adaptersSeeTheURLRequest() async throws {
        let transport = StepwiseTransport.answering()
        let session = Session(
            interceptor: Adapter { request, _, completion in
                completion(
                    .success(
                        {
                            var adapted = request; adapted.setValue("c", forHTTPHeaderField: "X-C"); return adapted
                        }()))
            },
            transport: transport)
        let response = try await MoyaProvider<API>(session: session).request(API())
        #expect(response.request?.value(forHTTPHeaderField: "X-C") == "c")
        #expect(transport.requests.values.first?.fields.contains { $0.name == "X-C" } == true)
    }

    @Test func requestsAreTheInitialAndTheSentOne() async throws {
        struct Preparing: PluginType {
            let seen = Recorder<[URLRequest]>()
            func prepare(_ request: URLRequest, target: any TargetType) -> URLRequest {
                var request = request
                request.setValue("p", forHTTPHeaderField: "X-P")
                return request
            }
            func willSend(_ request: any RequestType, target: any TargetType) {
                seen.append((request as? Request)?.requests ?? [])
            }
        }
        let adapter = Adapter { request, _, completion in
            var adapted = request
            adapted.setValue("c", forHTTPHeaderField: "X-C")
            completion(.success(adapted))
        }
        let session = Session(interceptor: adapter, transport: StepwiseTransport.answering())
        let plugin = Preparing()
        _ = try await MoyaProvider<API>(session: session, plugins: [plugin]).request(API())
        let names = plugin.seen.values.first?.map {
            ($0.allHTTPHeaderFields ?? [:]).keys.filter { $0.count == 3 }.sorted()
        }
        #expect(names == [[], ["X-C", "X-P"]])
    }

    @Test func redirectsContinueFromTheSentRequest() async throws {
        let transport = StepwiseTransport { request, exchange in
            guard request.url.hasSuffix("/zen") else { return exchange.answer(200, "there") }
            exchange.head(302, ["Location": "/elsewhere", "Content-Length": "0"])
            exchange.end()
        }
        let response = try await MoyaProvider<API>(session: Session(transport: transport)).request(
            API(headers: ["X-A": "b"]))
        #expect(
            transport.requests.values.map(\.url) == [
                "https://api.example.com/zen", "https://api.example.com/elsewhere",
            ])
        #expect(transport.requests.values.last?.fields.contains { $0.name == "X-A" } == true)
        #expect(response.request?.url?.path == "/zen")
        #expect(response.response?.url?.path == "/elsewhere")
    }

    @Test func cookiesAreStoredAndSent() async throws {
        let transport = StepwiseTransport { _, exchange in
            exchange.head(200, ["Set-Cookie": "a=1; Path=/", "Content-Length": "0"])
            exchange.end()
        }
        let provider = MoyaProvider<API>(session: Session(configuration: .ephemeral, transport: transport))
        _ = try await provider.request(API())
        _ = try await provider.request(API())
        _ = try await provider.request(API(headers: ["cookie": "own=2"]))
        let sent = transport.requests.values.map { request in
            request.fields.filter { $0.name.lowercased() == "cookie" }.map(\.value)
        }
        #expect(sent == [[], ["a=1"], ["own=2"]])
    }

    @Test func aRetrierRepeatsTheRequest() async throws {
        let transport = StepwiseTransport { _, exchange in exchange.answer(503, "") }
        let session = Session(
            interceptor: Retrier { request, _, _, completion in
                completion(request.retryCount < 2 ? .retry : .doNotRetry)
            }, transport: transport)
        let provider = MoyaProvider<API>(session: session)
        await #expect(throws: MoyaError.self) { try await provider.request(API(validationType: .successCodes)) }
        #expect(transport.requests.values.map(\.url) == Array(repeating: "https://api.example.com/zen", count: 3))
    }

    // MARK: A task that waits

    @Test func cancellingTheTaskCancelsTheExchange() async {
        let (transport, exchanges) = StepwiseTransport.waiting()
        let provider = MoyaProvider<API>(session: Session(transport: transport))
        let call = _Concurrency.Task { try await provider.request(API()) }
        for await exchange in exchanges.prefix(1) {
            call.cancel()
            let error = await #expect(throws: MoyaError.self) { try await call.value }
            #expect(error.map { Result<Response, MoyaError>.failure($0).isCancelled } == true)
            #expect(exchange.cancellations.count == 1)
        }
    }

    @Test func aTaskThatWasCancelledBeforeSendsNothing() async {
        let transport = StepwiseTransport.answering()
        let provider = MoyaProvider<API>(session: Session(transport: transport))
        let call = _Concurrency.Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await provider.request(API())
        }
        let error = await #expect(throws: MoyaError.self) { try await call.value }
        #expect(error.map { Result<Response, MoyaError>.failure($0).isCancelled } == true)
        #expect(transport.requests.values.isEmpty)
    }

    @Test func aSessionThatIsInvalidatedEndsTheCall() async {
        let (transport, exchanges) = StepwiseTransport.waiting()
        let session = Session(transport: transport)
        let provider = MoyaProvider<API>(session: session)
        let call = _Concurrency.Task { try await provider.request(API()) }
        for await _ in exchanges.prefix(1) {
            session.invalidateAndCancel()
            await #expect(throws: MoyaError.self) { try await call.value }
        }
    }
}

private func text(of request: URLRequest?) -> String {
    guard let request else { return "none" }
    let fields = (request.allHTTPHeaderFields ?? [:]).map { "\($0.key.lowercased()): \($0.value)" }.sorted()
    return "\(request.httpMethod ?? "") \(request.url?.absoluteString ?? "") \(fields) \(request.timeoutInterval)"
}
