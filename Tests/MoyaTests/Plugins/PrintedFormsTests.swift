import Foundation
import Moya
import MoyaSession
import MoyaTesting
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// No printed form of a public value shows a secret in it; in each case the secret is `s3cr3t`.
@Suite struct PrintedFormsTests {
    private static let url = "https://me:s3cr3t@example.com/path?access_token=s3cr3t&page=1#code=s3cr3t"
    private static let location = URL(string: url)!
    private static let data = Data("s3cr3t".utf8)
    private static let fields = ["Authorization": "Bearer s3cr3t", "Location": "/?code=s3cr3t", "X-Api-Key": "s3cr3t"]

    private static var request: URLRequest {
        var request = URLRequest(url: location)
        request.httpMethod = "POST"
        request.allHTTPHeaderFields = fields
        request.httpBody = Data(#"{"password":"s3cr3t"}"#.utf8)
        return request
    }

    private static var httpResponse: HTTPURLResponse {
        HTTPURLResponse(url: location, statusCode: 200, httpVersion: nil, headerFields: fields)!
    }

    private static var response: Response {
        Response(statusCode: 200, data: data, request: request, response: httpResponse)
    }

    private struct Failure: Error { let url = PrintedFormsTests.url }

    private static let unencodable = EncodingError.invalidValue(
        "s3cr3t", .init(codingPath: [], debugDescription: "Odd."))
    private static let undecodable = DecodingError.dataCorrupted(
        .init(codingPath: [], debugDescription: "Cannot initialize Role from invalid String value s3cr3t"))

    private struct Credential: AuthenticationCredential {
        let token = "s3cr3t"
        let requiresRefresh = false
    }

    private final class TokenAuthenticator: Authenticator {
        func apply(_ credential: Credential, to urlRequest: inout URLRequest) {}
        func refresh(
            _ credential: Credential, for session: Session,
            completion: @escaping @Sendable (Result<Credential, any Error>) -> Void
        ) {}
        func didRequest(
            _ urlRequest: URLRequest, with response: HTTPURLResponse, failDueToAuthenticationError error: any Error
        ) -> Bool { false }
        func isRequest(_ urlRequest: URLRequest, authenticatedWith credential: Credential) -> Bool { false }
    }

    private enum Account: TargetType {
        case login(user: String, password: String)
        var baseURL: URL { PrintedFormsTests.location }
        var path: String { "" }
        var method: Moya.Method { .post }
        var task: RequestTask { .requestParameters(parameters: ["password": "s3cr3t"], encoding: JSONEncoding.default) }
        var headers: [String: String]? { PrintedFormsTests.fields }
    }

    /// Every printed form of a value.
    private func forms(of value: Any) -> [String] {
        var dumped = ""
        dump(value, to: &dumped)
        var forms = ["\(value)", String(describing: value), String(reflecting: value), dumped, "\([value])"]
        if let value = value as? any CustomDebugStringConvertible { forms.append(value.debugDescription) }
        if let error = value as? any Error {
            forms += [error.localizedDescription, (error as NSError).localizedDescription]
        }
        return forms
    }

    private func checkForms(of value: Any) {
        for form in forms(of: value) { #expect(!form.contains("s3cr3t"), "\(type(of: value)): \(form)") }
    }

    @Test func valuesOfTheTransportLayerShowNoSecret() {
        let fields = Self.fields.map { HTTPField(name: $0.key, value: $0.value) }
        let head = TransportResponseHead(status: 302, fields: fields)
        let failure = TransportFailure(.other, message: "no \(Self.url)", cause: Failure())
        let section = TransportResponseHead(
            status: 302, version: "HTTP/2", section: Array("Set-Cookie: id=s3cr3t\r\nlocation: \(Self.url)\r\n".utf8))
        let authentication = TransportAuthentication(scheme: .digest, user: "me", password: "s3cr3t")
        let proxy = TransportConfiguration.Proxy(
            .http, host: "a", port: 1, credentials: .init(user: "me", password: "s3cr3t"))
        let identity = TransportConfiguration.ClientIdentity.pkcs12(Self.data, password: "s3cr3t")
        let request = HTTPRequest(
            method: "POST", url: Self.url, fields: fields, body: .data(Self.data), authentication: authentication)
        let values: [Any] = [
            fields, head, section, failure, authentication, proxy, identity, request, TransportBody.data(Self.data),
            TransportConfiguration.ClientIdentity.pem(
                certificateChain: Self.data, privateKey: Self.data, password: "s3cr3t"),
            TransportConfiguration(clientIdentity: identity, proxy: .custom(proxy)), TransportEvent.head(head),
            TransportEvent.informational(section), TransportEvent.end(TransportEnd(failure: failure)),
            TransportEnd(failure: failure),
        ]
        for value in values { checkForms(of: value) }
    }

    @Test func valuesOfTheSessionLayerShowNoSecret() {
        let failed: Result<Int, SessionError> = .failure(.sessionTaskFailed(error: Failure()))
        let form = RequestMultipartFormData()
        form.append(Self.data, withName: "password")
        let values: [Any] = [
            HTTPHeader.authorization("s3cr3t"), HTTPHeaders(Self.fields),
            DataResponse(
                request: Self.request, response: Self.httpResponse, data: Self.data, metrics: nil,
                serializationDuration: 0,
                result: failed),
            DataResponse<String, SessionError>(
                request: Self.request, response: Self.httpResponse, data: Self.data, metrics: nil,
                serializationDuration: 0,
                result: .success("s3cr3t")),
            UploadRequest.Uploadable.data(Self.data), form,
            AuthenticationInterceptor(authenticator: TokenAuthenticator(), credential: Credential()),
            Session(
                interceptor: AuthenticationInterceptor(authenticator: TokenAuthenticator(), credential: Credential()),
                transport: StepwiseTransport.answering()),
            RequestEvent.didCreateURLRequest(Self.request),
            RequestEvent.didAdaptURLRequest(initial: Self.request, adapted: Self.request),
            RequestEvent.didReceiveResponse(
                TransportResponseHead(status: 200, fields: [HTTPField(name: "Set-Cookie", value: "s3cr3t")]),
                Self.location),
            RequestEvent.willPerformRedirection(TransportResponseHead(status: 302), Self.location, to: Self.request),
        ]
        for value in values { checkForms(of: value) }
    }

    @Test(
        arguments: [
            .invalidURL(url: url), .invalidURL(url: "http://user:pa#s3cr3t@host/"),
            .createURLRequestFailed(error: Failure()), .createUploadableFailed(error: Failure()),
            .downloadedFileMoveFailed(error: Failure(), source: location, destination: location),
            .multipartEncodingFailed(reason: .bodyPartURLInvalid(url: location)),
            .multipartEncodingFailed(reason: .bodyPartFilenameInvalid(in: location)),
            .multipartEncodingFailed(reason: .outputStreamURLInvalid(url: location)),
            .parameterEncodingFailed(reason: .customEncodingFailed(error: Failure())),
            .parameterEncoderFailed(reason: .encoderFailed(error: Failure())),
            .parameterEncoderFailed(reason: .encoderFailed(error: unencodable)),
            .responseSerializationFailed(reason: .decodingFailed(error: undecodable)),
            .requestAdaptationFailed(error: Failure()),
            .requestRetryFailed(retryError: Failure(), originalError: Failure()),
            .responseValidationFailed(reason: .customValidationFailed(error: Failure())),
            .responseSerializationFailed(reason: .customSerializationFailed(error: Failure())),
            .serverTrustEvaluationFailed(reason: .customEvaluationFailed(error: Failure())),
            .serverTrustEvaluationFailed(reason: .trustEvaluationFailed(error: TransportFailure(.other, message: url))),
            .sessionInvalidated(error: Failure()),
            .sessionTaskFailed(error: URLError(.timedOut, userInfo: [NSURLErrorFailingURLErrorKey: location])),
            .urlRequestValidationFailed(reason: .bodyDataInGETRequest(data)),
            .urlRequestValidationFailed(reason: .missingHost(url: url)),
            .urlRequestValidationFailed(reason: .invalidHeaderField(name: "Authorization: Bearer s3cr3t")),
            .responseValidationFailed(
                reason: .unacceptableContentType(acceptableContentTypes: [], responseContentType: "a/b; token=s3cr3t")),
        ] as [SessionError]) func errorsOfTheEngineShowNoSecret(error: SessionError)
    {
        checkForms(of: error)
        checkForms(of: MoyaError.underlying(error, Self.response))
    }

    @Test(
        arguments: [
            .imageMapping(response), .jsonMapping(response), .stringMapping(response),
            .objectMapping(Failure(), response),
            .objectMapping(undecodable, response), .encodableMapping(unencodable), .encodableMapping(Failure()),
            .statusCode(response), .underlying(Failure(), response), .requestMapping(url),
            .parameterEncoding(Failure()), .underlying(SessionRefreshError.storeUnreadable(Failure()), nil),
            .underlying(OfflineError.sequenceFailed(Failure()), nil),
            .underlying(TransportFailure(.other, message: url), nil),
        ] as [MoyaError]) func errorsOfTheFaceShowNoSecret(error: MoyaError)
    {
        checkForms(of: error)
        if let underlying = error.underlyingError,
            !(underlying is Failure || underlying is EncodingError || underlying is DecodingError)
        {
            checkForms(of: underlying)
        }
    }

    @Test(arguments: [MoyaError.objectMapping(undecodable, response), .encodableMapping(unencodable)])
    func errorsOfCodableShowNoValueInTheirUserInfo(error: MoyaError) {
        let bridged = error as NSError
        for form in ["\(bridged)", "\(bridged.userInfo)"] { #expect(!form.contains("s3cr3t"), "\(form)") }
        let underlying = bridged.userInfo[NSUnderlyingErrorKey] as? NSError
        #expect(
            underlying?.localizedDescription.hasPrefix("DecodingError: ") == (error.underlyingError is DecodingError))
        #expect(error.underlyingError is DecodingError || error.underlyingError is EncodingError)
    }

    /// An app's own error around one of `Codable`, and one that holds a request.
    private enum AppError: Error {
        case decoding(any Error)
        case sending(URLRequest)
        case nested([Result<Int, AppError>])
    }

    @Test(arguments: [
        AppError.decoding(undecodable), .decoding(unencodable), .sending(URLRequest(url: location)),
        .nested([.failure(.decoding(undecodable))]),
    ]) private func errorsOfAnAppShowNoValueOfABody(error: AppError) {
        checkForms(of: MoyaError.underlying(error, nil))
        checkForms(of: MoyaError.parameterEncoding(error))
        checkForms(of: SessionError.sessionTaskFailed(error: error))
        let bridged = MoyaError.underlying(error, nil) as NSError
        for form in ["\(bridged)", "\(bridged.userInfo)"] { #expect(!form.contains("s3cr3t"), "\(form)") }
    }

    @Test func theTextOfAnAppsErrorIsMaskedIfItHasAURL() {
        let error = NSError(domain: "app", code: 1, userInfo: [NSLocalizedDescriptionKey: "GET \(Self.url) failed"])
        checkForms(of: MoyaError.underlying(error, nil))
        #expect(MoyaError.underlying(error, nil).localizedDescription.hasPrefix("GET http"))
    }

    @Test func aTargetWithADescriptionIsPrintedByItsType() {
        enum Described: TargetType, CustomStringConvertible {
            case profile
            var baseURL: URL { PrintedFormsTests.location }
            var path: String { "" }
            var method: Moya.Method { .get }
            var task: RequestTask { .requestPlain }
            var headers: [String: String]? { nil }
            var description: String { "GET \(baseURL)" }
        }
        #expect(Described.profile.printedName == "Described")
        checkForms(of: MultiTarget(Described.profile))
    }

    @Test func valuesOfTheProviderLayerShowNoSecret() {
        let login = Account.login(user: "me", password: "s3cr3t")
        checkForms(of: MoyaProvider<Account>().progress(of: login))
        checkForms(of: MoyaProvider<Account>(stubClosure: MoyaProvider.immediatelyStub).request(login) { _ in })
        let part = MultipartFormData(provider: .data(Self.data), name: "password")
        let parameters = ["password": "s3cr3t"]
        let tasks: [RequestTask] = [
            .requestData(Self.data), .requestJSONEncodable(parameters),
            .requestCustomJSONEncodable(parameters, encoder: JSONEncoder()),
            .requestParameters(parameters: parameters, encoding: JSONEncoding.default),
            .requestCompositeData(bodyData: Self.data, urlParameters: parameters),
            .requestCompositeParameters(
                bodyParameters: parameters, bodyEncoding: JSONEncoding.default, urlParameters: parameters),
            .uploadMultipart([part]), .uploadCompositeMultipart([part], urlParameters: parameters),
        ]
        let endpoint = Endpoint(
            url: Self.url, sampleResponseClosure: { .networkResponse(200, Self.data) }, method: .post, task: tasks[3],
            httpHeaderFields: Self.fields)
        let tokens = OAuthTokens(accessToken: "s3cr3t", refreshToken: "s3cr3t")
        let values: [Any] = [
            MultiTarget(login), part, part.provider, endpoint, Self.response, ProgressResponse(response: Self.response),
            EndpointSampleResponse.networkResponse(200, Self.data),
            EndpointSampleResponse.response(Self.httpResponse, Self.data),
            EndpointSampleResponse.networkError(
                NSError(domain: "d", code: 1, userInfo: [NSURLErrorFailingURLErrorKey: Self.location])),
            MiddlewareCall(target: login, request: Self.request),
            RefreshGrant(tokenURL: Self.location, clientID: "a", refreshToken: "s3cr3t"),
            tokens, InMemoryTokenStore(tokens),
            MoyaProvider<Account>(session: Session(transport: StepwiseTransport.answering())),
        ]
        for value in values + tasks { checkForms(of: value) }
    }

    @Test func requestShowsNoSecret() async throws {
        let session = Session(startRequestsImmediately: true, transport: StepwiseTransport.answering())
        let request = session.request(Self.request)
        await withCheckedContinuation { done in
            request.response { response in
                for form in forms(of: response) { #expect(!form.contains("s3cr3t"), "\(form)") }
                done.resume()
            }
        }
        checkForms(of: request)
        #expect(!request.cURLDescription().contains("s3cr3t"), "\(request.cURLDescription())")
        #expect(request.cURLDescription(showingSecrets: true).contains("s3cr3t"))
        #expect(request.description.contains("page=1"))
    }

    @Test func cacheShowsNoSecret() async throws {
        let cache = HTTPCache.memory()
        let transport = ScriptedTransport(.response(200, ["Cache-Control": "max-age=60"], body: "s3cr3t"))
        let session = Session(startRequestsImmediately: false, cache: cache, transport: transport)
        _ = await session.request("https://example.com/path?access_token=s3cr3t").resume().serializingData().response
        #expect(cache.size > 0)
        checkForms(of: cache)
    }

    @Test func partsOfStreamsShowNoSecret() async throws {
        let events: [Any] = [
            ServerSentEvent(id: "1", type: "login", data: "s3cr3t"), StreamPart.head(Self.response),
            StreamPart.chunk(Self.data), ResponseStreamError.truncatedElement("s3cr3t"),
            UploadStreamError.redirected(to: Self.url),
        ]
        for event in events { checkForms(of: event) }
        let session = Session(startRequestsImmediately: false, transport: StepwiseTransport.answering(200, "s3cr3t"))
        await withCheckedContinuation { done in
            session.streamRequest(Self.request).responseStreamString { stream in
                checkForms(of: stream)
                checkForms(of: stream.event)
                if let completion = stream.completion {
                    checkForms(of: completion)
                    done.resume()
                }
            }.resume()
        }
        checkForms(of: try await session.request(Self.request).stream())
    }

    @Test func attemptOfARequestShowsNoSecret() async throws {
        let session = Session(startRequestsImmediately: false, transport: StepwiseTransport.failing(.other))
        let request = session.request(Self.request)
        await withCheckedContinuation { done in
            request.response { _ in done.resume() }.resume()
        }
        let task = try #require(request.task)
        checkForms(of: task)
        #expect("\(task)".hasPrefix("SessionTask(POST https://<masked>@example.com/path?"))
    }

    @Test func taskIsPrintedWithItsNumberOfParameters() {
        let task = RequestTask.requestParameters(parameters: ["a": 1, "b": 2], encoding: JSONEncoding.default)
        #expect("\(task)" == "requestParameters(2)")
    }

    @Test func descriptionsStayReadable() {
        #expect("\(MoyaError.requestMapping("https://a b?c=d&e=(f)"))" == #"requestMapping("https://a b?c=d&e=(f)")"#)
        #expect("\(HTTPHeaders(["Accept": "text/plain"]))" == "Accept: text/plain")
        #expect("\(ServerSentEvent(data: "12345"))" == "ServerSentEvent(message, 5 bytes)")
        #expect("\(StreamPart.chunk(Data("12345".utf8)))" == "chunk(5 bytes)")
        #expect("\(MultiTarget(Account.login(user: "", password: "")))" == "MultiTarget.target(login)")
        #expect(
            "\(MoyaError.cancelled)" == "underlying(SessionError.explicitlyCancelled: The request was cancelled., nil)")
    }
}
