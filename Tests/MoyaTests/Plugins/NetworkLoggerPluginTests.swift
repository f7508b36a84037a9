import Foundation
import Moya
import MoyaSession
import MoyaTesting
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct NetworkLoggerPluginTests {
    private let log = Recorder<String>()
    private let url = URL(string: "https://example.com/path")!

    private func logger(
        _ options: NetworkLoggerPlugin.Configuration.LogOptions,
        formatter: NetworkLoggerPlugin.Configuration.Formatter = .init()
    ) -> NetworkLoggerPlugin {
        NetworkLoggerPlugin(
            configuration: .init(
                formatter: formatter, output: { [log] _, items in for item in items { log.append(item) } },
                logOptions: options))
    }

    private var text: String { log.values.joined(separator: "\n") }

    #if os(Linux) || os(macOS)
    @Test func defaultOutputPrintsEachItemOnItsLine() async throws {
        let result = try #require(
            await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
                NetworkLoggerPlugin.Configuration.defaultOutput(target: API(), items: ["first item", "second item"])
            })
        #expect(String(decoding: result.standardOutputContent, as: UTF8.self).contains("first item\nsecond item\n"))
    }
    #endif

    private func request(_ change: (inout URLRequest) -> Void = { _ in }) -> FakeRequest {
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        request.allHTTPHeaderFields = ["Content-Type": "application/json", "Same": "of the request"]
        request.httpBody = Data("cool body".utf8)
        change(&request)
        return FakeRequest(request: request, sessionHeaders: ["Same": "of the session", "Only": "in the session"])
    }

    private func response(_ status: Int = 200) -> Response {
        Response(
            statusCode: status, data: Data("cool body".utf8),
            response: HTTPURLResponse(
                url: url, statusCode: status, httpVersion: nil, headerFields: ["Content-Length": "9"]))
    }

    @Test func aLoggerThatIsOffFormatsAndMasksNothing() {
        let used = Recorder<String>()
        var configuration = NetworkLoggerPlugin.Configuration(
            formatter: .init(entry: { name, _, _ in
                used.append(name)
                return ""
            }),
            output: { _, _ in used.append("output") }, logOptions: .verbose,
            isSecret: { name in
                used.append(name)
                return false
            })
        configuration.isEnabled = false
        let plugin = NetworkLoggerPlugin(configuration: configuration)
        let calls = {
            plugin.willSend(request(), target: API())
            plugin.didReceive(.success(response()), target: API())
            plugin.didReceive(.failure(.requestMapping("https://example.com/?token=x")), target: API())
        }
        calls()
        #expect(used.values == [])
        plugin.configuration.isEnabled = true
        calls()
        #expect(Set(used.values).isSuperset(of: ["output", "Request", "Response", "token"]))
    }

    @Test func bodyThatIsNotLoggedIsNotMasked() {
        let body = Data(#"{"password": "x"}"#.utf8)
        let asked = Recorder<String>()
        let plugin = NetworkLoggerPlugin(
            configuration: .init(
                output: { _, _ in }, logOptions: [.requestMethod],
                isSecret: { name in
                    asked.append(name)
                    return false
                }))
        plugin.willSend(request { $0.httpBody = body }, target: GitHub.zen)
        plugin.didReceive(.success(Response(statusCode: 200, data: body)), target: GitHub.zen)
        #expect(!asked.values.contains("password"))
    }

    // MARK: Requests

    @Test func verboseRequestHasTheURL() {
        logger(.verbose).willSend(request(), target: GitHub.zen)
        #expect(text.contains("Request: https://example.com/path"))
    }

    @Test func fieldOfTheRequestReplacesTheSessionsInAnotherCase() {
        logger(.verbose).willSend(
            request { $0.allHTTPHeaderFields = ["same": "of the request"] }, target: GitHub.zen)
        #expect(text.contains("of the request") && !text.contains("of the session"))
    }

    @Test func verboseRequestHasTheSessionsHeaders() {
        logger(.verbose).willSend(request(), target: GitHub.zen)
        #expect(text.contains(#""Only": "in the session""#))
    }

    @Test func headerOfTheRequestOverridesTheSessions() {
        logger(.verbose).willSend(request(), target: GitHub.zen)
        #expect(text.contains(#""Same": "of the request""#) && !text.contains("of the session"))
    }

    @Test func verboseRequestHasTheMethod() {
        logger(.verbose).willSend(request(), target: GitHub.zen)
        #expect(text.contains("HTTP Request Method: POST"))
    }

    @Test func verboseRequestHasTheBody() {
        logger(.verbose).willSend(request(), target: GitHub.zen)
        #expect(text.contains("Request Body: cool body"))
    }

    @Test func verboseRequestHasTheBodyStream() {
        let stream = InputStream(data: Data("cool body".utf8))
        logger(.verbose).willSend(request { $0.httpBodyStream = stream }, target: GitHub.zen)
        #expect(text.contains("Request Body Stream:"))
    }

    @Test func entriesComeInTheirOrder() {
        logger(.verbose).willSend(request(), target: GitHub.zen)
        let names = log.values.map { $0.split(separator: "] ", maxSplits: 1).last?.split(separator: ":").first }
        #expect(names == ["Request", "Request Headers", "Request Body", "HTTP Request Method"])
    }

    @Test func requestWithoutAURLRequestIsInvalid() {
        logger(.verbose).willSend(FakeRequest(), target: GitHub.zen)
        #expect(log.count == 1 && text.hasSuffix("Request: (invalid request)"))
    }

    @Test func defaultOptionsLogNoBody() {
        logger(.default).willSend(request(), target: GitHub.zen)
        #expect(!text.contains("cool body"))
    }

    @Test func defaultOptionsLogMethodAndHeaders() {
        #expect(NetworkLoggerPlugin.Configuration.LogOptions.default == [.requestMethod, .requestHeaders])
    }

    @Test func verboseOptionsAreAllButTheCommandLine() {
        #expect(
            NetworkLoggerPlugin.Configuration.LogOptions.verbose
                == [.requestMethod, .requestHeaders, .requestBody, .successResponseBody, .errorResponseBody])
    }

    @Test func ready() {
        #expect(NetworkLoggerPlugin.default.configuration.logOptions == .default)
        #expect(NetworkLoggerPlugin.verbose.configuration.logOptions == .verbose)
    }

    @Test(arguments: [NetworkLoggerPlugin.Configuration.LogOptions.requestHeaders, .formatRequestAscURL])
    func fieldsThatAreDeclaredCredentialsAreMasked(options: NetworkLoggerPlugin.Configuration.LogOptions) async throws {
        let session = Session(
            credentialPolicy: CredentialPolicy(fields: ["X-Badge"]), transport: ScriptedTransport(.response(200)))
        let endpoint: @Sendable (GitHub) -> Endpoint = {
            MoyaProvider<GitHub>.defaultEndpointMapping(for: $0).adding(newHTTPHeaderFields: ["X-Badge": "s3cr3t"])
        }
        let provider = MoyaProvider<GitHub>(
            endpointClosure: endpoint, session: session, plugins: [logger(options)])
        _ = try await provider.request(.zen)
        #expect(text.contains("X-Badge") && !text.contains("s3cr3t"))
    }

    @Test func commandLineReplacesEverythingElse() {
        var request = request()
        request.cURL = "$ curl -v as the request has it"
        logger([.formatRequestAscURL, .requestBody, .requestMethod]).willSend(request, target: GitHub.zen)
        #expect(log.count == 1 && text.hasSuffix("Request: $ curl -v as the request has it"))
    }

    @Test func declaredCredentialsAreMaskedInTheResponse() async throws {
        let session = Session(
            credentialPolicy: CredentialPolicy(fields: ["X-Badge"]),
            transport: ScriptedTransport(.response(200, ["x-badge": "s3cr3t"])))
        let provider = MoyaProvider<GitHub>(session: session, plugins: [logger(.verbose)])
        _ = try await provider.request(.zen)
        #expect(text.lowercased().contains("x-badge") && !text.contains("s3cr3t"))
    }

    // MARK: Responses

    @Test func successHasTheURL() {
        logger(.verbose).didReceive(.success(response()), target: GitHub.zen)
        #expect(text.contains("Response:") && text.contains("{ URL: https://example.com/path }"))
    }

    @Test func successHasStatusAndHeaders() {
        logger(.verbose).didReceive(.success(response()), target: GitHub.zen)
        #expect(text.lowercased().contains("{ status code: 200, headers"))
        #expect(text.lowercased().contains(#""content-length""#))
    }

    @Test func successHasTheBody() {
        logger(.verbose).didReceive(.success(response()), target: GitHub.zen)
        #expect(text.contains("Response Body: cool body"))
    }

    @Test func successWithoutTheOptionHasNoBody() {
        logger([.errorResponseBody]).didReceive(.success(response()), target: GitHub.zen)
        #expect(!text.contains("cool body"))
    }

    @Test func successWithoutAnHTTPResponseIsLogged() {
        logger(.verbose).didReceive(.success(Response(statusCode: 200, data: Data())), target: GitHub.zen)
        #expect(text.contains("Response: Received empty network response for zen."))
    }

    @Test func emptyBodyHasABodyEntry() {
        logger(.verbose).didReceive(.success(Response(statusCode: 200, data: Data())), target: GitHub.zen)
        #expect(log.values.last?.hasSuffix("Response Body: ") == true)
    }

    @Test func failedValidationHasResponseAndBody() {
        let error = SessionError.responseValidationFailed(reason: .unacceptableStatusCode(code: 500))
        logger(.verbose).didReceive(.failure(.underlying(error, response(500))), target: GitHub.zen)
        #expect(text.contains("{ Status Code: 500, Headers") && text.contains("Response Body: cool body"))
    }

    @Test(arguments: [NetworkLoggerPlugin.Configuration.LogOptions.errorResponseBody, .successResponseBody])
    func eitherBodyOptionLogsTheBodyOfAnError(_ option: NetworkLoggerPlugin.Configuration.LogOptions) {
        logger(option).didReceive(.failure(.statusCode(response(500))), target: GitHub.zen)
        #expect(text.contains("Response Body: cool body"))
    }

    @Test func errorWithoutAResponseIsOneEntry() {
        let error = SessionError.responseSerializationFailed(reason: .inputFileNil)
        logger(.verbose).didReceive(.failure(.underlying(error, nil)), target: GitHub.zen)
        #expect(log.count == 1)
        #expect(
            text.contains(
                "Error: Error calling zen : underlying(SessionError.responseSerializationFailed: The response"))
        #expect(text.hasSuffix("there is no downloaded file., nil)"))
    }

    // MARK: Formatters

    @Test func requestDataFormatterIsUsed() {
        logger(.verbose, formatter: .init(requestData: { _ in "formatted" })).willSend(request(), target: GitHub.zen)
        #expect(text.contains("Request Body: formatted"))
    }

    @Test func responseDataFormatterIsUsed() {
        logger(.verbose, formatter: .init(responseData: { _ in "formatted" }))
            .didReceive(.success(response()), target: GitHub.zen)
        #expect(text.contains("Response Body: formatted"))
    }

    @Test func entryFormatterIsUsed() {
        logger([], formatter: .init(entry: { name, message, target in "\(target)/\(name)/\(message)" }))
            .willSend(request(), target: GitHub.zen)
        #expect(log.values == ["zen/Request/https://example.com/path"])
    }

    @Test func defaultEntryBeginsWithTheLoggersName() {
        let entry = NetworkLoggerPlugin.Configuration.Formatter.defaultEntryFormatter(
            identifier: "Name", message: "message", target: GitHub.zen)
        #expect(entry.hasPrefix("Moya_Logger: [") && entry.hasSuffix("] Name: message"))
    }

    @Test func dataThatIsNotTextIsReportedAsSuch() {
        #expect(
            NetworkLoggerPlugin.Configuration.Formatter.defaultDataFormatter(Data([0xC3, 0x28]))
                == "## Cannot map data to String ##")
    }

    @Test func configurationMayBeChangedLater() {
        let logger = logger([])
        logger.configuration.logOptions = .requestMethod
        logger.willSend(request(), target: GitHub.zen)
        #expect(text.contains("HTTP Request Method: POST"))
    }

    // MARK: In a provider

    @Test func stubbedCallIsLoggedFromRequestToResponse() async {
        let provider = MoyaProvider<GitHub>(stubClosure: MoyaProvider.immediatelyStub, plugins: [logger(.verbose)])
        _ = await provider.end(of: .zen)
        #expect(text.contains("Request: https://api.github.com/zen"))
        #expect(text.contains("User-Agent") && text.contains("Accept-Encoding") && text.contains("Accept-Language"))
        #expect(text.contains("HTTP Request Method: GET"))
        #expect(text.contains("Response: Received empty network response for zen."))
        #expect(text.contains("Response Body: Half measures are as bad as nothing at all."))
    }

    @Test func requestIsLoggedAsACommandLineWithItsResponse() async {
        let provider = MoyaProvider<GitHub>(
            session: Session(transport: StepwiseTransport.answering()),
            plugins: [logger([.formatRequestAscURL, .successResponseBody])])
        _ = await provider.end(of: .zen)
        #expect(
            text.contains("$ curl -v") && text.contains("-X GET") && text.contains(#""https://api.github.com/zen""#))
        #expect(text.contains("Accept-Language") && text.contains("Accept-Encoding") && text.contains("User-Agent"))
        #expect(text.contains("Response Body: answer"))
    }

    @Test func stubIsLoggedAsACommandLine() async {
        let provider = MoyaProvider<GitHub>(
            stubClosure: MoyaProvider.immediatelyStub, plugins: [logger(.formatRequestAscURL)])
        _ = await provider.end(of: .zen)
        #expect(text.contains("$ curl -v") && text.contains(#""https://api.github.com/zen""#))
    }

    @Test func deinitOfAnEarlierConfigurationMayReadTheNewOne() {
        final class Asking: @unchecked Sendable {
            let plugins: Recorder<NetworkLoggerPlugin>

            init(_ plugins: Recorder<NetworkLoggerPlugin>) { self.plugins = plugins }

            deinit { _ = plugins.values.first?.configuration }
        }
        let plugins = Recorder<NetworkLoggerPlugin>()
        let plugin = NetworkLoggerPlugin(
            configuration: .init(output: { [asking = Asking(plugins)] _, _ in _ = asking }))
        plugins.append(plugin)
        plugin.configuration = .init(logOptions: .verbose)
        #expect(plugin.configuration.logOptions == .verbose)
        plugins.removeAll()
    }
}
