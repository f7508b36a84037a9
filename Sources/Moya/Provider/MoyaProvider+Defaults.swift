import Foundation
public import MoyaSession

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

extension MoyaProvider {
    /// The endpoint of a target as its properties say, with `sampleData` read when a stub is delivered.
    @Sendable public final class func defaultEndpointMapping(for target: Target) -> Endpoint {
        Endpoint(
            url: URL.text(of: target),
            sampleResponseClosure: { .networkResponse(200, target.sampleData) },
            method: target.method,
            task: target.task,
            httpHeaderFields: target.headers)
    }

    /// Hands on the endpoint's own request, or why it cannot be made, before it returns.
    @Sendable public final class func defaultRequestMapping(for endpoint: Endpoint, closure: RequestResultClosure) {
        do {
            closure(.success(try endpoint.urlRequest()))
        } catch {
            closure(.failure((error as? MoyaError) ?? .underlying(error, nil)))
        }
    }

    /// A session with default header fields that waits to be told to start its requests.
    public final class func defaultAlamofireSession() -> Session {
        let configuration = URLSessionConfiguration.default
        configuration.headers = .default
        return Session(configuration: configuration, startRequestsImmediately: false)
    }
}
