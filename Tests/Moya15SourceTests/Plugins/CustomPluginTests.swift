#if TaskAlias
import Foundation
import Moya
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A plugin with state, of a base class.
class CountingPlugin: PluginType {
    var sent = 0
    var received: [Result<Moya.Response, MoyaError>] = []
    var handler: ((TargetType) -> Void)?

    func willSend(_ request: RequestType, target: TargetType) {
        sent += 1
        handler?(target)
    }

    func didReceive(_ result: Result<Response, MoyaError>, target: TargetType) {
        received.append(result)
    }
}

final class SilentPlugin: CountingPlugin {
    override func willSend(_ request: RequestType, target: TargetType) {}
}

/// A plugin that is a struct, with a closure and a weak reference.
struct AuthPlugin: PluginType {
    let tokenClosure: () -> String?
    weak var counter: CountingPlugin?

    func prepare(_ request: URLRequest, target: TargetType) -> URLRequest {
        guard
            let token = tokenClosure(),
            let target = target as? AuthorizedTargetType,
            target.needsAuth
        else {
            return request
        }

        var request = request
        request.addValue("Bearer " + token, forHTTPHeaderField: "Authorization")
        counter?.sent += 10
        return request
    }
}

protocol AuthorizedTargetType: TargetType {
    var needsAuth: Bool { get }
}

extension MyTarget: AuthorizedTargetType {
    var needsAuth: Bool { if case .create = self { return true } else { return false } }
}

/// A plugin that unwraps an envelope.
final class UnwrappingPlugin: PluginType {
    func process(_ result: Result<Moya.Response, MoyaError>, target: TargetType) -> Result<Moya.Response, MoyaError> {
        switch result {
        case .success(let response):
            return .success(
                Response(
                    statusCode: response.statusCode, data: Data("processed".utf8), request: response.request,
                    response: response.response))
        case .failure(let error):
            return .failure(error)
        }
    }
}

@Suite struct CustomPluginTests {
    @Test func pluginClassKeepsState() {
        let plugin = CountingPlugin()
        var paths: [String] = []
        plugin.handler = { paths.append($0.path) }
        let provider = MoyaProvider<GitHub>(
            stubClosure: MoyaProvider.immediatelyStub, plugins: [plugin, SilentPlugin()])
        provider.request(.zen) { _ in }
        provider.request(.userProfile("ash")) { _ in }
        #expect(plugin.sent == 2)
        #expect(plugin.received.count == 2)
        #expect(paths == ["/zen", "/users/ash"])
    }

    @Test func pluginStructReadsTheTokenOnDemand() {
        var token: String? = "t"
        let counter = CountingPlugin()
        let plugin = AuthPlugin(tokenClosure: { token }, counter: counter)
        let provider = MoyaProvider<MyTarget>(stubClosure: MoyaProvider.immediatelyStub, plugins: [plugin])
        var headers: [String?] = []
        let completion: Completion = {
            headers.append(try? $0.get().request?.value(forHTTPHeaderField: "Authorization"))
        }
        provider.request(.create(name: "a"), completion: completion)
        provider.request(.users, completion: completion)
        token = nil
        provider.request(.create(name: "a"), completion: completion)
        #expect(headers == ["Bearer t", nil, nil])
        #expect(counter.sent == 10)
    }

    @Test func pluginMayReplaceTheResponse() {
        let plugins: [PluginType] = [UnwrappingPlugin()]
        let provider = MoyaProvider<GitHub>(stubClosure: MoyaProvider.immediatelyStub, plugins: plugins)
        var text: String?
        provider.request(.zen) { text = try? $0.get().mapString() }
        #expect(text == "processed")
    }

    @Test func builtInPluginsTakeTheAppsClosures() {
        var changes: [Moya.NetworkActivityChangeType] = []
        var asked = 0
        let plugins: [PluginType] = [
            Moya.NetworkActivityPlugin { change, _ in changes.append(change) },
            CredentialsPlugin { _ -> URLCredential? in
                asked += 1
                return URLCredential(user: "user", password: "passwd", persistence: .none)
            },
            AccessTokenPlugin { target in (target as? Login)?.user ?? "" },
        ]
        let provider = MoyaProvider<Login>(stubClosure: MoyaProvider.immediatelyStub, plugins: plugins)
        var header: String?
        provider.request(Login(user: "ash", extra: [:], cacheKey: nil)) {
            header = try? $0.get().request?.value(forHTTPHeaderField: "Authorization")
        }
        #expect(changes == [.began, .ended])
        #expect(asked == 1)
        #expect(header == "Token ash")
    }

    @Test func loggerTakesTheAppsFormatter() {
        func JSONResponseDataFormatter(_ data: Data) -> String {
            "\(data.count) bytes"
        }
        var lines: [String] = []
        let loggerConfig = NetworkLoggerPlugin.Configuration(
            formatter: .init(entry: { id, message, _ in "\(id)=\(message)" }, responseData: JSONResponseDataFormatter),
            output: { _, items in lines += items }, logOptions: [.requestMethod, .successResponseBody])
        let networkLogger = NetworkLoggerPlugin(configuration: loggerConfig)
        let provider = MoyaProvider<GitHub>(stubClosure: MoyaProvider.immediatelyStub, plugins: [networkLogger])
        provider.request(.zen) { _ in }
        #expect(lines.contains("HTTP Request Method=GET"))
        #expect(lines.contains("Response Body=43 bytes"))
    }

    @Test func loggerIsReconfigured() {
        let logger = NetworkLoggerPlugin()
        var count = 0
        logger.configuration.output = { _, _ in count += 1 }
        logger.configuration.logOptions = .verbose
        MoyaProvider<GitHub>(stubClosure: MoyaProvider.immediatelyStub, plugins: [logger]).request(.zen) { _ in }
        #expect(count == 2)
    }
}
#endif
