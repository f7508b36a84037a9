import Foundation
import Moya
import MoyaSession
import MoyaTesting
import MoyaTransport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct MoyaProviderTests {
    private func stubbed<T: TargetType>(_ sample: EndpointSampleResponse) -> MoyaProvider<T> {
        MoyaProvider<T>(
            endpointClosure: { target in
                Endpoint(
                    url: URL(target: target).absoluteString, sampleResponseClosure: { sample }, method: target.method,
                    task: target.task, httpHeaderFields: target.headers)
            }, stubClosure: MoyaProvider.immediatelyStub)
    }

    // MARK: Stubbed

    @Test(arguments: [GitHub.zen, .userProfile("ashfurrow")])
    func immediateStubGivesTheSampleDataBeforeRequestReturns(_ target: GitHub) {
        let provider = MoyaProvider<GitHub>(stubClosure: MoyaProvider.immediatelyStub)
        let results = Recorder<Result<Response, MoyaError>>()
        provider.request(target) { results.append($0) }
        #expect(results.values.first?.response?.data == target.sampleData)
        #expect(results.count == 1)
    }

    @Test func responseOfAStubCarriesItsRequest() async {
        let provider = MoyaProvider<GitHub>(stubClosure: MoyaProvider.immediatelyStub)
        let response = await provider.end(of: .zen).response
        #expect(response?.request?.url?.absoluteString == "https://api.github.com/zen")
    }

    @Test func responseOfAStubHas200AndNoHTTPResponse() async {
        let provider = MoyaProvider<GitHub>(stubClosure: MoyaProvider.immediatelyStub)
        let response = await provider.end(of: .zen).response
        #expect(response?.statusCode == 200)
        #expect(response?.response == nil)
    }

    @Test func endpointIsTheSameEachTime() throws {
        let provider = MoyaProvider<GitHub>()
        let (one, other) = (provider.endpoint(.zen), provider.endpoint(.zen))
        #expect(try one.urlRequest() == other.urlRequest())
        #expect(one == other)
    }

    @Test func requestReturnsSomethingThatIsNotCancelled() {
        let provider = MoyaProvider<GitHub>(stubClosure: MoyaProvider.immediatelyStub)
        let token: any Cancellable = provider.request(.zen) { _ in }
        #expect(!token.isCancelled)
    }

    // MARK: The session

    @Test func defaultSessionDoesNotStartRequestsByItself() {
        #expect(!MoyaProvider<GitHub>().session.startRequestsImmediately)
    }

    @Test func defaultSessionHasTheDefaultHeaders() {
        let headers = MoyaProvider<GitHub>.defaultAlamofireSession().defaultHeaders
        #expect(headers["Accept-Encoding"] == "br;q=1.0, gzip;q=0.9, deflate;q=0.8")
        #expect(headers["Accept-Language"] != nil && headers["User-Agent"] != nil)
    }

    @Test func providerUsesTheGivenSession() {
        let session = Session()
        #expect(MoyaProvider<GitHub>(session: session).session === session)
    }

    @Test func requestOfASubclassOfSessionIsUsed() async {
        final class CountingSession: Session, @unchecked Sendable {
            let calls = Recorder<Void>()
            override func request(
                _ convertible: any URLRequestConvertible, interceptor: (any RequestInterceptor)?
            ) -> DataRequest {
                calls.append(())
                return super.request(convertible, interceptor: interceptor)
            }
        }
        let session = CountingSession(transport: StepwiseTransport.answering())
        _ = await MoyaProvider<GitHub>(session: session).end(of: .zen)
        #expect(session.calls.count == 1)
    }

    @Test func sessionThatStartsRequestsByItselfSendsOne() async {
        let transport = StepwiseTransport.answering()
        let provider = MoyaProvider<GitHub>(session: Session(startRequestsImmediately: true, transport: transport))
        #expect(await provider.end(of: .zen).text == "answer")
        #expect(transport.requests.count == 1)
    }

    // MARK: Closures

    @Test func endpointClosureNamesTheTarget() {
        let provider = MoyaProvider(endpointClosure: { (target: GitHub) in
            MoyaProvider.defaultEndpointMapping(for: target)
        })
        #expect(type(of: provider) == MoyaProvider<GitHub>.self)
    }

    @Test func endpointAndStubClosureRunOncePerCall() {
        let calls = Recorder<String>()
        let provider = MoyaProvider<GitHub>(
            endpointClosure: {
                calls.append("endpoint")
                return MoyaProvider.defaultEndpointMapping(for: $0)
            },
            stubClosure: { _ in
                calls.append("stub")
                return .immediate
            })
        provider.request(.zen) { _ in }
        #expect(calls.values == ["endpoint", "stub"])
    }

    @Test func endpointClosureCanAddAPartToAForm() async throws {
        final class FormSession: Session, @unchecked Sendable {
            let bodies = Recorder<String>()
            override func upload(
                multipartFormData: RequestMultipartFormData, with convertible: any URLRequestConvertible,
                usingThreshold threshold: UInt64, interceptor: (any RequestInterceptor)?, fileManager: FileManager
            ) -> UploadRequest {
                bodies.append((try? multipartFormData.encode()).map { String(decoding: $0, as: UTF8.self) } ?? "")
                return super.upload(
                    multipartFormData: multipartFormData, with: convertible, usingThreshold: threshold,
                    interceptor: interceptor, fileManager: fileManager)
            }
        }
        let session = FormSession(transport: StepwiseTransport.answering())
        let provider = MoyaProvider<API>(
            endpointClosure: { target in
                let endpoint = MoyaProvider.defaultEndpointMapping(for: target)
                guard case .uploadMultipart(let parts) = endpoint.task else { return endpoint }
                let added = MultipartFormData(provider: .data(Data("second".utf8)), name: "two")
                return endpoint.replacing(task: .uploadMultipart(parts + [added]))
            }, session: session)
        let first = MultipartFormData(provider: .data(Data("first".utf8)), name: "one")
        _ = await provider.end(of: API(method: .post, task: .uploadMultipart([first])))
        let body = try #require(session.bodies.values.first)
        #expect(body.contains(#"name="one""#) && body.contains("first"))
        #expect(body.contains(#"name="two""#) && body.contains("second"))
    }

    @Test func requestClosureGivesTheRequest() async {
        let provider = MoyaProvider<GitHub>(
            requestClosure: { endpoint, done in
                MoyaProvider<GitHub>.defaultRequestMapping(for: endpoint) { result in
                    done(
                        result.map { request in
                            var request = request
                            request.setValue("here", forHTTPHeaderField: "X-Was")
                            return request
                        })
                }
            }, stubClosure: MoyaProvider.immediatelyStub)
        let response = await provider.end(of: .zen).response
        #expect(response?.request?.value(forHTTPHeaderField: "X-Was") == "here")
    }

    @Test func failureOfTheRequestClosureReachesTheCaller() async {
        let failure = NSError(domain: "test", code: 7)
        let provider = MoyaProvider<GitHub>(requestClosure: { _, done in done(.failure(.underlying(failure, nil))) })
        guard case .underlying(let error, nil) = await provider.end(of: .zen).error else {
            Issue.record("no failure")
            return
        }
        #expect(error as NSError == failure)
    }

    @Test func requestClosureMayAnswerLater() async throws {
        let held = HeldRequest()
        let provider = MoyaProvider<GitHub>(
            requestClosure: { held.closure($0, $1) }, stubClosure: MoyaProvider.immediatelyStub)
        async let result = provider.end(of: .zen)
        try await held.answer()
        #expect(await result.response?.data == GitHub.zen.sampleData)
    }

    @Test func onlyTheFirstAnswerOfTheRequestClosureCounts() {
        let provider = MoyaProvider<GitHub>(
            requestClosure: { endpoint, done in
                MoyaProvider<GitHub>.defaultRequestMapping(for: endpoint, closure: done)
                done(.failure(.requestMapping("again")))
            }, stubClosure: MoyaProvider.immediatelyStub)
        let results = Recorder<Result<Response, MoyaError>>()
        provider.request(.zen) { results.append($0) }
        #expect(results.values.map(\.text) == ["Half measures are as bad as nothing at all."])
    }

    @Test func overriddenEndpointIsUsed() async {
        final class Provider: MoyaProvider<GitHub>, @unchecked Sendable {
            override func endpoint(_ token: GitHub) -> Endpoint {
                super.endpoint(token).adding(newHTTPHeaderFields: ["X-Mine": "yes"])
            }
        }
        let response = await Provider(stubClosure: MoyaProvider.immediatelyStub).end(of: .zen).response
        #expect(response?.request?.value(forHTTPHeaderField: "X-Mine") == "yes")
    }

    // MARK: Errors on the way to a request

    /// Moya wraps this one in `.underlying`.
    @Test func encodableThatCannotBeEncodedArrivesAsEncodableMapping() async {
        let provider = MoyaProvider<API>(stubClosure: MoyaProvider.immediatelyStub)
        let error = await provider.end(of: API(task: .requestJSONEncodable([Double.infinity]))).error
        guard case .encodableMapping = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func badURLArrivesAsRequestMapping() async {
        let provider = MoyaProvider<GitHub>(endpointClosure: { target in
            Endpoint(
                url: "some invalid URL", sampleResponseClosure: { .networkResponse(200, Data()) }, method: .get,
                task: .requestPlain, httpHeaderFields: nil)
        })
        guard case .requestMapping("some invalid URL") = await provider.end(of: .zen).error else {
            Issue.record("no requestMapping")
            return
        }
    }

    @Test func badParametersArriveAsParameterEncoding() async {
        let provider = MoyaProvider<API>()
        let target = API(
            task: .requestCompositeParameters(
                bodyParameters: [:], bodyEncoding: URLEncoding.default, urlParameters: [:]))
        guard case .parameterEncoding = await provider.end(of: target).error else {
            Issue.record("no parameterEncoding")
            return
        }
    }

    // MARK: Samples

    @Test func sampleClosureGivesTheData() async {
        let provider: MoyaProvider<GitHub> = stubbed(.networkResponse(201, Data("other".utf8)))
        let result = await provider.end(of: .zen)
        #expect(result.text == "other")
        #expect(result.response?.statusCode == 201)
    }

    @Test func sampleClosureGivesTheIdenticalHTTPResponse() async {
        let http = HTTPURLResponse(
            url: URL(string: "https://example.com")!, statusCode: 203, httpVersion: nil, headerFields: ["A": "b"])!
        let provider: MoyaProvider<GitHub> = stubbed(.response(http, Data("data".utf8)))
        let result = await provider.end(of: .zen)
        #expect(result.response?.response === http)
        #expect(result.response?.statusCode == 203)
        #expect(result.text == "data")
    }

    @Test(arguments: [GitHub.zen, .userProfile("ashfurrow")])
    func sampleClosureGivesTheIdenticalError(_ target: GitHub) async {
        let failure = NSError(domain: "com.moya.test", code: 7, userInfo: [NSLocalizedDescriptionKey: "Houston"])
        let provider: MoyaProvider<GitHub> = stubbed(.networkError(failure))
        let error = await provider.end(of: target).error
        guard case .underlying(let cause, nil) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(cause as NSError === failure)
        #expect(error?.localizedDescription == "Houston")
    }

    @Test func sampleClosureRunsWhenTheStubIsDelivered() async throws {
        let calls = Recorder<Void>()
        let provider = MoyaProvider<GitHub>(
            endpointClosure: { target in
                Endpoint(
                    url: URL(target: target).absoluteString,
                    sampleResponseClosure: {
                        calls.append(())
                        return .networkResponse(200, Data())
                    }, method: .get, task: .requestPlain, httpHeaderFields: nil)
            }, stubClosure: MoyaProvider.delayedStub(3_600))
        let promise = Promise<Result<Response, MoyaError>>()
        let token = provider.request(.zen) { promise.fulfill($0) }
        #expect(calls.count == 0)
        token.cancel()
        _ = try await promise.value
        #expect(calls.count == 0)
    }

    // MARK: Struct targets

    private let target = API(
        baseURL: URL(string: "http://example.com")!, path: "/endpoint", method: .post,
        sampleData: Data("sample".utf8), headers: ["Content-Type": "application/json"])

    @Test func structTargetInsideAMultiTargetIsCalled() async {
        let provider = MoyaProvider<MultiTarget>(stubClosure: MoyaProvider.immediatelyStub)
        let response = await provider.end(of: MultiTarget(target)).response
        #expect(response?.request?.url?.absoluteString == "http://example.com/endpoint")
        #expect(response?.request?.httpMethod == "POST")
        #expect(response?.data == Data("sample".utf8))
        #expect(response?.request?.value(forHTTPHeaderField: "Content-Type") == "application/json")
    }

    @Test func emptyPathKeepsTheURLUnchanged() async {
        let url = "http://example.com/123/somepath?X-ABC-Asd=123"
        let provider = MoyaProvider<MultiTarget>(stubClosure: MoyaProvider.immediatelyStub)
        let response = await provider.end(of: MultiTarget(API(baseURL: URL(string: url)!, path: ""))).response
        #expect(response?.request?.url?.absoluteString == url)
    }
}
