import Foundation
import Moya
import MoyaTransport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The samples of the article PluginsAndMiddleware.
@Suite struct PluginsAndMiddlewareSamples {
    private func builtIn(token: @escaping @Sendable () -> String, credential: URLCredential) {
        // snippet: built in
        let provider = MoyaProvider<Shop>(plugins: [
            NetworkLoggerPlugin(configuration: .init(logOptions: .verbose)),
            NetworkActivityPlugin { change, target in print(change, target.path) },
            AccessTokenPlugin { target in token() },
            CredentialsPlugin { target in credential },
        ])
        // end
        print(provider)
    }

    private func logger() {
        // snippet: logger
        let logger = NetworkLoggerPlugin(
            configuration: .init(
                output: { target, entries in
                    for entry in entries { FileHandle.standardError.write(Data("\(entry)\n".utf8)) }
                },
                logOptions: [.requestMethod, .requestHeaders, .errorResponseBody],
                isSecret: { name in
                    name == "X-Device" || NetworkLoggerPlugin.Configuration.looksLikeSecret(name)
                }))
        // end
        print(logger)
    }

    // snippet: plugin
    struct ClientVersion: PluginType {
        let version: String

        func prepare(_ request: URLRequest, target: any TargetType) -> URLRequest {
            var request = request
            request.setValue(version, forHTTPHeaderField: "X-Client-Version")
            return request
        }

        func process(
            _ result: Result<Response, MoyaError>, target: any TargetType
        ) -> Result<Response, MoyaError> {
            guard case .success(let response) = result, response.statusCode == 410 else { return result }
            return .failure(.underlying(OutdatedClient(), response))
        }
    }

    struct OutdatedClient: Error {}
    // end

    @Test func aPluginPreparesTheSentRequest() async throws {
        let provider = MoyaProvider<Shop>(
            stubClosure: MoyaProvider.immediatelyStub, plugins: [ClientVersion(version: "3")])
        let response = try await provider.request(.items)
        #expect(response.request?.value(forHTTPHeaderField: "X-Client-Version") == "3")
    }

    // snippet: middleware
    actor Memory: MoyaMiddleware {
        private var responses: [URL: Response] = [:]

        func intercept(_ call: MiddlewareCall, next: NextMiddleware) async throws(MoyaError) -> Response {
            guard !call.isStreamed, call.request.httpMethod == "GET", let url = call.request.url else {
                return try await next(call)
            }
            if let response = responses[url] { return response }
            let response = try await next(call)
            responses[url] = response
            return response
        }
    }
    // end

    @Test func aMiddlewareAnswersByItself() async throws {
        let provider = MoyaProvider<Shop>(stubClosure: MoyaProvider.immediatelyStub, middleware: [Memory()])
        let (first, second) = (try await provider.request(.items), try await provider.request(.items))
        #expect(first === second)
    }

    private func place(activity: NetworkActivityPlugin) {
        // snippet: place
        let provider = MoyaProvider<Shop>(middleware: [.plugins, .retry(attempts: 3)], plugins: [activity])
        // end
        print(provider)
    }
}
