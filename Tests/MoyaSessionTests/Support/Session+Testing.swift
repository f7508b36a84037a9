import Foundation
import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension Session {
    /// A session with nothing of its own, over a transport of the test's.
    static func over(
        _ transport: ScriptedTransport, interceptor: (any RequestInterceptor)? = nil,
        headers: [String: String] = [:]
    ) -> Session {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.httpAdditionalHeaders = headers
        return Session(
            configuration: configuration, startRequestsImmediately: false, interceptor: interceptor,
            transport: transport)
    }
}

extension URLRequest {
    /// A request of a URL that a test is sure of.
    static func to(_ url: String, method: String = "GET", body: String? = nil) -> URLRequest {
        var request = URLRequest(url: URL(string: url)!)
        request.httpMethod = method
        request.httpBody = body.map { Data($0.utf8) }
        return request
    }
}

extension Request {
    /// Starts the request and waits for its end.
    func outcome() async -> RequestOutcome {
        await withCheckedContinuation { continuation in
            onFinish { continuation.resume(returning: $0) }
            resume()
        }
    }
}
