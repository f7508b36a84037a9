#if TaskAlias
import Foundation
import Moya
import Testing

/// Names of Moya 10 to 14 that apps still use.
@available(*, deprecated, message: "Uses the older names on purpose.")
enum Moya13 {
    static func token() -> PluginType { return AccessTokenPlugin { "token" } }
    static func tokenOfALabel(_ token: @escaping () -> String) -> PluginType {
        return AccessTokenPlugin(tokenClosure: token)
    }
    static func tokenOfAType(_ token: @escaping (AuthorizationType) -> String) -> PluginType {
        return AccessTokenPlugin(tokenClosure: token)
    }
    static func tokenOfATypeInPlace() -> PluginType {
        return AccessTokenPlugin { (type: AuthorizationType) in type == .bearer ? "secret" : "" }
    }
    static func verbose(_ print: @escaping (String, String, Any...) -> Void) -> PluginType {
        return NetworkLoggerPlugin(verbose: true, output: print)
    }
    static func formatted(_ print: @escaping (String, String, Any...) -> Void) -> PluginType {
        return NetworkLoggerPlugin(
            verbose: true, cURL: false, output: print, requestDataFormatter: { "\($0.count) sent" },
            responseDataFormatter: { _ in Data("formatted".utf8) })
    }
    static func curl(_ print: @escaping (String, String, Any...) -> Void) -> PluginType {
        return NetworkLoggerPlugin(cURL: true, output: print)
    }
    static func value(_ result: Result<Moya.Response, MoyaError>) -> Moya.Response? { return result.value }
    static func error(_ result: Result<Moya.Response, MoyaError>) -> MoyaError? { return result.error }
    static func analysis(_ result: Result<Moya.Response, MoyaError>) -> String {
        return result.analysis(ifSuccess: { "\($0.statusCode)" }, ifFailure: { _ in "failed" })
    }
    static func success(_ response: Moya.Response) -> Result<Moya.Response, MoyaError> {
        return Result(value: response)
    }
    static func failure(_ error: MoyaError) -> Result<Moya.Response, MoyaError> {
        return Result(error: error)
    }
}

/// Calls deprecated functions where a call produces no warning.
protocol Moya13Spellings {
    func token() -> PluginType
    func tokenOfALabel(_ token: @escaping () -> String) -> PluginType
    func tokenOfAType(_ token: @escaping (AuthorizationType) -> String) -> PluginType
    func tokenOfATypeInPlace() -> PluginType
    func verbose(_ print: @escaping (String, String, Any...) -> Void) -> PluginType
    func formatted(_ print: @escaping (String, String, Any...) -> Void) -> PluginType
    func curl(_ print: @escaping (String, String, Any...) -> Void) -> PluginType
    func value(_ result: Result<Moya.Response, MoyaError>) -> Moya.Response?
    func error(_ result: Result<Moya.Response, MoyaError>) -> MoyaError?
    func analysis(_ result: Result<Moya.Response, MoyaError>) -> String
    func success(_ response: Moya.Response) -> Result<Moya.Response, MoyaError>
    func failure(_ error: MoyaError) -> Result<Moya.Response, MoyaError>
}

struct Moya13Names: Moya13Spellings {}

extension Moya13Names {
    @available(*, deprecated)
    func token() -> PluginType {
        Moya13.token()
    }
    @available(*, deprecated)
    func tokenOfALabel(_ token: @escaping () -> String) -> PluginType {
        Moya13.tokenOfALabel(token)
    }
    @available(*, deprecated)
    func tokenOfAType(_ token: @escaping (AuthorizationType) -> String) -> PluginType {
        Moya13.tokenOfAType(token)
    }
    @available(*, deprecated)
    func tokenOfATypeInPlace() -> PluginType {
        Moya13.tokenOfATypeInPlace()
    }
    @available(*, deprecated)
    func verbose(_ print: @escaping (String, String, Any...) -> Void) -> PluginType {
        Moya13.verbose(print)
    }
    @available(*, deprecated)
    func formatted(_ print: @escaping (String, String, Any...) -> Void) -> PluginType {
        Moya13.formatted(print)
    }
    @available(*, deprecated)
    func curl(_ print: @escaping (String, String, Any...) -> Void) -> PluginType {
        Moya13.curl(print)
    }
    @available(*, deprecated)
    func value(_ result: Result<Moya.Response, MoyaError>) -> Moya.Response? {
        Moya13.value(result)
    }
    @available(*, deprecated)
    func error(_ result: Result<Moya.Response, MoyaError>) -> MoyaError? {
        Moya13.error(result)
    }
    @available(*, deprecated)
    func analysis(_ result: Result<Moya.Response, MoyaError>) -> String {
        Moya13.analysis(result)
    }
    @available(*, deprecated)
    func success(_ response: Moya.Response) -> Result<Moya.Response, MoyaError> {
        Moya13.success(response)
    }
    @available(*, deprecated)
    func failure(_ error: MoyaError) -> Result<Moya.Response, MoyaError> {
        Moya13.failure(error)
    }
}

/// A target that carries a token.
private struct TokenTarget: TargetType, AccessTokenAuthorizable {
    var baseURL: URL { return URL(string: "https://api.github.com")! }
    var path: String { return "/user" }
    var method: Moya.Method { return .get }
    var task: Task { return .requestPlain }
    var headers: [String: String]? { return nil }
    var sampleData: Data { return Data("sample".utf8) }
    // `.none` is a case of Moya 13, and the empty optional today.
    var authorizationType: AuthorizationType? { return isOpen ? .none : .bearer }
    var isOpen = false
}

@Suite struct Moya13NamesTests {
    private let names: Moya13Spellings = Moya13Names()

    private func logged(_ plugin: (@escaping (String, String, Any...) -> Void) -> PluginType) -> [String] {
        var lines: [String] = []
        let provider = MoyaProvider<TokenTarget>(
            stubClosure: MoyaProvider.immediatelyStub,
            plugins: [plugin { _, _, items in lines.append(contentsOf: items.map { "\($0)" }) }])
        provider.request(TokenTarget()) { _ in }
        return lines
    }

    private func authorization(_ plugin: PluginType, _ target: TokenTarget = TokenTarget()) -> String? {
        var header: String?
        MoyaProvider<TokenTarget>(stubClosure: MoyaProvider.immediatelyStub, plugins: [plugin]).request(target) {
            header = try? $0.get().request?.value(forHTTPHeaderField: "Authorization")
        }
        return header
    }

    @Test func tokenNeedsNoTarget() {
        #expect(authorization(names.token()) == "Bearer token")
        #expect(authorization(names.tokenOfALabel { "other" }) == "Bearer other")
    }

    @Test func tokenOfMoya14IsThatOfItsType() {
        #expect(authorization(names.tokenOfAType { $0.value.lowercased() }) == "Bearer bearer")
        #expect(authorization(names.tokenOfATypeInPlace()) == "Bearer secret")
    }

    @Test func typeOfATargetInsideAMultiTargetGivesTheToken() {
        let plugin = names.tokenOfAType { $0.value.lowercased() }
        let request = plugin.prepare(
            URLRequest(url: TokenTarget().baseURL), target: MultiTarget(TokenTarget()))
        #expect(request.value(forHTTPHeaderField: "Authorization") == "Bearer bearer")
    }

    @Test func noneGivesNoToken() {
        #expect(authorization(names.token(), TokenTarget(isOpen: true)) == nil)
    }

    @Test func verboseLoggerPrintsTheBody() {
        let lines = logged(names.verbose)
        #expect(lines.contains { $0.contains("Request Method: GET") || $0.contains("GET") })
        #expect(lines.contains { $0.contains("sample") })
    }

    @Test func responseFormatterChangesTheBody() {
        let lines = logged(names.formatted)
        #expect(lines.contains { $0.contains("formatted") } && !lines.contains { $0.contains("sample") })
    }

    @Test func curlLoggerPrintsACommandLine() {
        #expect(logged(names.curl).contains { $0.contains("$ curl -v") })
    }

    @Test func resultHasValueAndError() {
        let response = Moya.Response(statusCode: 201, data: Data())
        #expect(names.value(.success(response))?.statusCode == 201)
        #expect(names.value(.failure(.requestMapping("a"))) == nil)
        #expect(names.error(.success(response)) == nil)
        #expect(names.error(.failure(.requestMapping("a"))) != nil)
        #expect(names.analysis(.success(response)) == "201")
        #expect(names.analysis(.failure(.requestMapping("a"))) == "failed")
    }

    @Test func resultMadeOfAValueOrAnErrorIsThatCase() {
        let response = Moya.Response(statusCode: 201, data: Data())
        #expect(names.value(names.success(response))?.statusCode == 201)
        #expect(names.error(names.failure(.requestMapping("a"))) != nil)
    }
}
#endif
