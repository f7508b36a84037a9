public import Foundation
public import Moya

extension MoyaProvider {
    /// Makes a provider that calls a given server instead of the targets' own.
    ///
    /// - Parameter stubbed: `true` to answer with the targets' sample data, without a network.
    public static func at(
        _ server: URL, stubbed: Bool = false, plugins: [any PluginType] = []
    ) -> MoyaProvider<Target> {
        MoyaProvider<Target>(
            endpointClosure: { target in
                Endpoint(
                    url: server.appendingPathComponent(target.path).absoluteString,
                    sampleResponseClosure: { .networkResponse(200, target.sampleData) },
                    method: target.method,
                    task: target.task,
                    httpHeaderFields: target.headers)
            },
            stubClosure: stubbed ? MoyaProvider.immediatelyStub : MoyaProvider.neverStub,
            plugins: plugins)
    }
}
