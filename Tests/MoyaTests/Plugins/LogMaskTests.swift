import Foundation
import Moya
import MoyaSession
import MoyaTesting
import MoyaTransport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The masking of the logger; in each case the secret is `s3cr3t`.
@Suite struct LogMaskTests {
    private let log = Recorder<String>()

    private func logger(
        isSecret: @escaping @Sendable (String) -> Bool = NetworkLoggerPlugin.Configuration.looksLikeSecret
    ) -> NetworkLoggerPlugin {
        NetworkLoggerPlugin(
            configuration: .init(
                output: { [log] _, items in for item in items { log.append(item) } }, logOptions: .verbose,
                isSecret: isSecret))
    }

    private var text: String { log.values.joined(separator: "\n") }
    private var leaks: Bool { text.contains("s3cr3t") }

    private func logRequest(
        _ url: String = "https://example.com", headers: [String: String] = [:], body: String? = nil,
        session: [String: String] = [:]
    ) {
        var request = URLRequest(url: URL(string: url)!)
        request.httpMethod = "POST"
        request.allHTTPHeaderFields = headers
        request.httpBody = body.map { Data($0.utf8) }
        logger().willSend(FakeRequest(request: request, sessionHeaders: session), target: GitHub.zen)
    }

    private func logResponse(_ url: String = "https://example.com", headers: [String: String] = [:], body: String = "")
    {
        let response = HTTPURLResponse(
            url: URL(string: url)!, statusCode: 200, httpVersion: nil, headerFields: headers)
        logger().didReceive(
            .success(Response(statusCode: 200, data: Data(body.utf8), response: response)), target: GitHub.zen)
    }

    // MARK: Headers

    @Test(arguments: [
        "Authorization", "authorization", "Proxy-Authorization", "Cookie", "Set-Cookie", "X-Api-Key", "X-Auth-Token",
    ])
    func headerOfARequestIsMasked(_ name: String) {
        logRequest(headers: [name: "Bearer s3cr3t"])
        #expect(!leaks)
        #expect(text.contains(name))
    }

    @Test func headerOfTheSessionIsMasked() {
        logRequest(session: ["Authorization": "Bearer s3cr3t"])
        #expect(!leaks)
    }

    @Test(arguments: ["Set-Cookie", "X-Auth-Token"]) func headerOfAResponseIsMasked(_ name: String) {
        logResponse(headers: [name: "id=s3cr3t"])
        #expect(!leaks)
    }

    @Test func otherHeadersAreNotMasked() {
        logRequest(headers: ["Accept": "text/plain"])
        #expect(text.contains(#""Accept": "text/plain""#))
    }

    // MARK: URLs

    @Test(arguments: [
        "token", "access_token", "api_key", "apikey", "password", "client_secret", "X-Amz-Signature", "%74oken",
    ])
    func queryItemIsMasked(_ name: String) {
        logRequest("https://example.com/path?a=1&\(name)=s3cr3t&b=2")
        #expect(!leaks)
        #expect(text.contains("a=1") && text.contains("b=2"))
    }

    @Test func queryItemOfAResponseIsMasked() {
        logResponse("https://example.com/path?token=s3cr3t")
        #expect(!leaks)
    }

    @Test(arguments: ["#access_token=s3cr3t&page=1", "?page=1#access_token=s3cr3t", "?token=s3cr3t#page=1"])
    func tokenInAFragmentIsMasked(_ end: String) {
        logResponse("https://example.com/path\(end)")
        #expect(!leaks)
        #expect(text.contains("page=1"))
    }

    @Test func userInformationIsMasked() {
        logRequest("https://user:s3cr3t@example.com")
        #expect(!leaks)
    }

    @Test func queryItemInAnErrorIsMasked() {
        let error = MoyaError.requestMapping("https://example.com/a b?token=s3cr3t")
        logger().didReceive(.failure(error), target: GitHub.zen)
        #expect(!leaks)
    }

    @Test func userInformationInAnErrorIsMasked() {
        logger().didReceive(.failure(.requestMapping("https://user:s3cr3t@exa mple.com")), target: GitHub.zen)
        #expect(!leaks)
    }

    @Test func errorWithoutASecretIsLoggedAsItIs() {
        logger().didReceive(.failure(.requestMapping("https://a b?c=d&e=(f)")), target: GitHub.zen)
        #expect(text.hasSuffix(#"Error calling zen : requestMapping("https://a b?c=d&e=(f)")"#))
    }

    @Test func urlOfAFailedRequestIsMasked() async {
        let session = Session(transport: StepwiseTransport.failing(.reset))
        let provider = MoyaProvider<GitHub>(
            endpointClosure: { target in
                MoyaProvider.defaultEndpointMapping(for: target).replacing(
                    task: .requestParameters(parameters: ["token": "s3cr3t"], encoding: URLEncoding.queryString))
            },
            session: session, plugins: [logger()])
        _ = await provider.end(of: .zen)
        #expect(!leaks, "\(text)")
    }

    // MARK: Bodies

    @Test(arguments: [
        #"{"password":"s3cr3t","a":1}"#, #"{"user":{"token":"s3cr3t"}}"#, #"[{"apiKey":"s3cr3t"}]"#,
        " \n{\"secret\": [\"s3cr3t\"]}", #"{"session":{"id":"s3cr3t"}}"#,
    ]) func jsonKeyIsMasked(_ body: String) {
        logRequest(body: body)
        #expect(!leaks)
    }

    @Test func otherJSONKeysAreNotMasked() {
        logRequest(body: #"{"password":"s3cr3t","name":"visible"}"#)
        #expect(text.contains("visible"))
    }

    @Test func bodyWithoutASecretIsLoggedAsItIs() {
        logRequest(body: #"{ "b" : 1,  "a" : 2 }"#)
        #expect(text.contains(#"{ "b" : 1,  "a" : 2 }"#))
    }

    @Test func jsonKeyOfAResponseIsMasked() {
        logResponse(body: #"{"access_token":"s3cr3t"}"#)
        #expect(!leaks)
    }

    @Test(arguments: [
        "a=1&password=s3cr3t&b=2", "token=s3cr3t", "user%5Bpassword%5D=s3cr3t", "a=1&token=s3cr3t\n",
        "a=b c&token=s3cr3t", "a=1&password=\u{301}s3cr3t", "a=1&\u{301}&password=s3cr3t",
    ])
    func formFieldIsMasked(_ body: String) {
        logRequest(body: body)
        #expect(!leaks)
    }

    @Test func otherFormFieldsAreNotMasked() {
        logRequest(body: "name=visible&password=s3cr3t")
        #expect(text.contains("name=visible"))
    }

    // MARK: The predicate

    @Test func predicateMasksTheNamesThatItSelects() {
        let request = URLRequest(url: URL(string: "https://example.com?mine=s3cr3t")!)
        logger(isSecret: { $0 == "mine" }).willSend(FakeRequest(request: request), target: GitHub.zen)
        #expect(!leaks)
    }

    @Test func predicateMayMaskNothing() {
        var request = URLRequest(url: URL(string: "https://example.com")!)
        request.setValue("Bearer s3cr3t", forHTTPHeaderField: "Authorization")
        logger(isSecret: { _ in false }).willSend(FakeRequest(request: request), target: GitHub.zen)
        #expect(leaks)
    }

    @Test func predicateMasksACommandLine() {
        let logger = logger(isSecret: { $0 == "mine" })
        logger.configuration.logOptions = .formatRequestAscURL
        var request = FakeRequest()
        request.cURL = #"$ curl -v -H "mine: s3cr3t" -d "{\"mine\":\"s3cr3t\"}" "https://example.com?mine=s3cr3t""#
        logger.willSend(request, target: GitHub.zen)
        #expect(!leaks, "\(text)")
    }

    @Test(arguments: [
        #"-H "mine: s3cr3t"'!'"s3cr3t""#, #"-d "mine=s3cr3t"'!'"s3cr3t&x=1""#, #""https://a?mine="'!'"s3cr3t""#,
    ])
    func predicateMasksASecretWithAnExclamationMarkInACommandLine(part: String) {
        let logger = logger(isSecret: { $0 == "mine" })
        logger.configuration.logOptions = .formatRequestAscURL
        var request = FakeRequest()
        request.cURL = "$ curl -v \(part)"
        logger.willSend(request, target: GitHub.zen)
        #expect(!leaks && text.contains("mine"), "\(text)")
    }

    @Test func commandLineKeepsTheFormOfAnExclamationMarkForShells() {
        let logger = logger(isSecret: { $0 == "mine" })
        logger.configuration.logOptions = .formatRequestAscURL
        var request = FakeRequest()
        request.cURL = #"$ curl -v -d "say=hello"'!'"""#
        logger.willSend(request, target: GitHub.zen)
        #expect(text.contains(#"-d "say=hello"'!'"""#), "\(text)")
    }

    // MARK: Command lines that stay safe to paste

    /// A body with a secret, and with text that a shell would run.
    private static let body = #"{"password":"s3cr3t","mine":"s3cr3t","note":"$(id -un) `id`"}"# + "\n!"

    private struct Login: TargetType {
        var baseURL: URL { URL(string: "https://example.com")! }
        var path: String { "" }
        var method: Moya.Method { .post }
        var task: RequestTask { .requestData(Data(LogMaskTests.body.utf8)) }
        var headers: [String: String]? { nil }
    }

    private func commandLogger(_ isMine: Bool) -> NetworkLoggerPlugin {
        let logger =
            isMine ? logger(isSecret: { $0 == "mine" }) : logger { $0 == "mine" || SecretNames.contains($0) }
        logger.configuration.logOptions = .formatRequestAscURL
        return logger
    }

    /// Both predicates select `mine`, and one of them alone; the session's mask covers the other name.
    @Test(arguments: [false, true], [false, true])
    func commandLineOfACallStaysEscaped(isMine: Bool, isStubbed: Bool) async {
        let provider = MoyaProvider<Login>(
            stubClosure: isStubbed ? MoyaProvider.immediatelyStub : MoyaProvider.neverStub,
            session: Session(transport: StepwiseTransport.answering()), plugins: [commandLogger(isMine)])
        _ = await provider.end(of: Login())
        let expected =
            #"-d "{\"password\":\"<masked>\",\"mine\":\"<masked>\",\"note\":\"\$(id -un) \`id\`\"}"#
            + "\n\"'!'\"\" \\\n"
        #expect(text.contains(expected), "\(text)")
    }

    @Test(arguments: [false, true]) func commandLineOfAnotherTypeOfRequestStaysEscaped(isMine: Bool) {
        var request = FakeRequest()
        request.cURL = CURLDescription.text(
            method: "POST", url: URL(string: "https://example.com/?$filter=a&mine=s3cr3t"), headers: [:],
            body: Data(#"{"mine":"s3cr3t","note":"$(id -un) `id`"}"#.utf8) + Data("\n!".utf8))
        commandLogger(isMine).willSend(request, target: GitHub.zen)
        let expected =
            #"-d "{\"mine\":\"<masked>\",\"note\":\"\$(id -un) \`id\`\"}"# + "\n\"'!'\"\" \\\n\t"
            + #""https://example.com/?\$filter=a&mine=<masked>""#
        #expect(text.hasSuffix(expected), "\(text)")
    }

    @Test func predicateMasksTextThatIsNoCommand() {
        let logger = logger(isSecret: { $0 == "mine" })
        logger.configuration.logOptions = .formatRequestAscURL
        var request = FakeRequest()
        request.cURL = "POST https://example.com\nmine: s3cr3t s3cr3t"
        logger.willSend(request, target: GitHub.zen)
        #expect(text.hasSuffix("POST https://example.com\nmine: <masked>"), "\(text)")
    }

    // MARK: Targets

    private enum Account: TargetType {
        case login(user: String, password: String)
        var baseURL: URL { URL(string: "https://example.com")! }
        var path: String { "" }
        var method: Moya.Method { .post }
        var task: RequestTask { .requestPlain }
        var headers: [String: String]? { nil }
    }

    @Test(arguments: [false, true]) func targetIsLoggedWithoutItsValues(isWrapped: Bool) {
        let login = Account.login(user: "me", password: "s3cr3t")
        let target: any TargetType = isWrapped ? MultiTarget(MultiTarget(login)) : login
        logger().didReceive(.failure(.requestMapping("x")), target: target)
        logger().didReceive(.success(Response(statusCode: 200, data: Data())), target: target)
        #expect(!leaks && text.contains("Error calling login :") && text.contains("response for login."))
    }

    // MARK: Whole calls

    @Test func tokenOfAPluginIsMaskedInTheLogOfACall() async {
        let provider = MoyaProvider<AuthorizedAPI>(
            session: Session(transport: StepwiseTransport.answering()),
            plugins: [AccessTokenPlugin { _ in "s3cr3t" }, logger()])
        _ = await provider.end(of: AuthorizedAPI(authorizationType: .bearer))
        #expect(!leaks && text.contains("Authorization"))
    }

    @Test func tokenOfAPluginIsMaskedInACommandLine() async {
        let logger = logger()
        logger.configuration.logOptions = .formatRequestAscURL
        let provider = MoyaProvider<AuthorizedAPI>(
            session: Session(transport: StepwiseTransport.answering()),
            plugins: [AccessTokenPlugin { _ in "s3cr3t" }, logger])
        _ = await provider.end(of: AuthorizedAPI(authorizationType: .bearer))
        #expect(!leaks && text.contains("$ curl -v"))
    }
}
