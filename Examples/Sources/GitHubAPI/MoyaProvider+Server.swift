public import Foundation
public import Moya

extension MoyaProvider {
    /// Makes a provider that calls a given server in place of the one that the targets name.
    ///
    /// - Parameter stubbed: Whether to answer with the targets' sample data and leave the network alone.
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
