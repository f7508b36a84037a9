// Plugins with state, and methods of classes as the closures of plugins.
#if TaskAlias
import Foundation
import Moya

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Counts requests for an indicator, by a method.
class ActivityCounter {
    private(set) var begun = 0
    private(set) var ended = 0

    func changed(_ change: NetworkActivityChangeType, _ target: TargetType) {
        switch change {
        case .began: begun += 1
        case .ended: ended += 1
        }
    }

    func makePlugin() -> PluginType {
        return NetworkActivityPlugin(networkActivityClosure: changed)
    }

    static let logger = NetworkLoggerPlugin(
        configuration: .init(output: NetworkLoggerPlugin.Configuration.defaultOutput, logOptions: .verbose))

    static func plugin(_ closure: @escaping NetworkActivityPlugin.NetworkActivityClosure) -> PluginType {
        return NetworkActivityPlugin(networkActivityClosure: closure)
    }
}

/// Gathers the entries of a logger, which methods format and write.
class EntryLog {
    private(set) var entries: [String] = []

    private func write(_ target: TargetType, _ items: [String]) {
        entries.append(contentsOf: items)
    }

    private func pretty(_ data: Data) -> String {
        return String(data: data, encoding: .utf8) ?? ""
    }

    private func entry(_ identifier: String, _ message: String, _ target: TargetType) -> String {
        return "\(identifier): \(message)"
    }

    func makePlugin() -> NetworkLoggerPlugin {
        return NetworkLoggerPlugin(
            configuration: .init(
                formatter: .init(entry: entry, requestData: pretty, responseData: pretty), output: write,
                logOptions: .verbose))
    }
}

/// The session of a user, whose methods give tokens and credentials.
class UserSession {
    static let shared = UserSession()

    var token: String?
    var user = "ole"

    private func token(for target: TargetType) -> String {
        return token ?? ""
    }

    private func credential(for target: TargetType) -> URLCredential? {
        return URLCredential(user: user, password: "secret", persistence: .none)
    }

    func makePlugins() -> [PluginType] {
        return [AccessTokenPlugin(tokenClosure: token), CredentialsPlugin(credentialsClosure: credential)]
    }
}

/// A plugin that is a class with variables.
class RequestRecorder: PluginType {
    var names: [String] = []
    var onEnd: ((Int?) -> Void)?

    func prepare(_ request: URLRequest, target: TargetType) -> URLRequest {
        var request = request
        request.addValue("\(names.count)", forHTTPHeaderField: "X-Number")
        return request
    }

    func willSend(_ request: RequestType, target: TargetType) {
        names.append(target.path)
    }

    func didReceive(_ result: Result<Response, MoyaError>, target: TargetType) {
        onEnd?(try? result.get().statusCode)
    }
}

/// An endpoint whose sample is a function.
class SampleSource {
    var status = 200

    private func sample() -> EndpointSampleResponse {
        return .networkResponse(status, Data("[]".utf8))
    }

    private func sample(_ closure: @escaping Endpoint.SampleResponseClosure) -> Endpoint {
        return Endpoint(
            url: "https://bakery.example.com", sampleResponseClosure: closure, method: .get, task: .requestPlain,
            httpHeaderFields: nil)
    }

    func endpoint(for target: Bakery) -> Endpoint {
        return sample(sample)
    }
}
#endif
