import Foundation
import MoyaSession
import MoyaTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension Session {
    /// A session without settings, over a transport of the test's.
    static func over(
        _ transport: StubbedTransport, interceptor: (any RequestInterceptor)? = nil,
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
        await handedOver { handOver in
            onFinish(handOver)
            resume()
        }
    }
}

/// Waits for the argument of a closure.
///
/// The value passes through a lock, which the thread sanitizer sees, and not through the continuation (see
/// `Scripts/sanitizers/thread.txt`).
func handedOver<Value: Sendable>(_ begin: (@escaping @Sendable (Value) -> Void) -> Void) async -> Value {
    let kept = Lock<Value?>(nil)
    await withCheckedContinuation { continuation in
        begin { value in
            kept.withLock { $0 = value }
            continuation.resume()
        }
    }
    return kept.withLock { $0 }!
}
