import Foundation
import MoyaSession
import MoyaTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension Session {
    /// A session over a test's transport, without stores and fields unless they are given.
    static func over(
        _ transport: (any Transport)?, startRequestsImmediately: Bool = false,
        requestQueue: DispatchQueue? = nil, interceptor: (any RequestInterceptor)? = nil,
        redirectHandler: (any RedirectHandler)? = nil, monitors: [any EventMonitor] = [],
        timeouts: Deadlines = Deadlines(), headers: [String: String] = [:],
        credentials: URLCredentialStorage? = nil
    ) -> Session {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.httpAdditionalHeaders = headers
        configuration.httpCookieStorage = nil
        configuration.urlCredentialStorage = credentials
        return Session(
            configuration: configuration, startRequestsImmediately: startRequestsImmediately,
            requestQueue: requestQueue, interceptor: interceptor, redirectHandler: redirectHandler,
            eventMonitors: monitors, timeouts: timeouts, transport: transport)
    }

    /// A session over the platform's own wire, which adds no field.
    static func onTheWire(
        interceptor: (any RequestInterceptor)? = nil, redirectHandler: (any RedirectHandler)? = nil,
        monitors: [any EventMonitor] = [], timeouts: Deadlines = Deadlines()
    ) -> Session {
        over(
            nil, interceptor: interceptor, redirectHandler: redirectHandler, monitors: monitors, timeouts: timeouts)
    }

    /// The requests in flight.
    var active: Set<Request> {
        let found = Lock<Set<Request>>([])
        withAllRequests { requests in found.withLock { $0 = requests } }
        return found.withLock { $0 }
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

extension DataRequest {
    /// Starts the request and waits for the argument of a response handler.
    func answered() async -> AFDataResponse<Data?> {
        await handedOver { handOver in
            response(queue: .global(), completionHandler: handOver)
            resume()
        }
    }
}

extension DownloadRequest {
    /// Starts the request and waits for the argument of a response handler.
    func answered() async -> AFDownloadResponse<URL?> {
        await handedOver { handOver in
            response(queue: .global(), completionHandler: handOver)
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
