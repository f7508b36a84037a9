import Foundation
package import Moya
package import MoyaSession
import MoyaTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Counts live providers and requests, so that a test detects leaks.
package final class LiveObjects: Sendable {
    private let counts = Lock<[String: Int]>([:])
    private let changes: AsyncStream<Void>
    private let changed: AsyncStream<Void>.Continuation

    package init() { (changes, changed) = AsyncStream.makeStream() }

    /// A plugin that a provider keeps, and its calls.
    package func pluginOfAProvider() -> any PluginType { CountedPlugin(token: token("provider")) }

    /// A session whose every request is counted.
    package func session() -> Session { CountingSession(live: self) }

    /// Waits until nothing is left.
    ///
    /// - Throws: ``Violation`` with the objects that remain after half a minute.
    package func areGone() async throws { try await wait { $0.isEmpty } }

    /// Waits until no request is left, and providers may be.
    ///
    /// - Throws: ``Violation`` with the objects that remain after half a minute.
    package func requestsAreGone() async throws { try await wait { $0["request"] == nil } }

    private func wait(until isFulfilled: @escaping @Sendable ([String: Int]) -> Bool) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                if isFulfilled(self.left) { return }
                for await _ in self.changes where isFulfilled(self.left) { return }
            }
            group.addTask {
                // The limit of a wait for an event that never occurs.
                try await _Concurrency.Task.sleep(for: .seconds(30))
                throw Violation("still alive: \(self.left)")
            }
            try await group.next()
            group.cancelAll()
        }
    }

    private var left: [String: Int] { counts.withLock { $0.filter { $0.value > 0 } } }

    fileprivate func token(_ kind: String) -> LiveToken {
        count(kind, 1)
        return LiveToken { [self] in count(kind, -1) }
    }

    private func count(_ kind: String, _ change: Int) {
        counts.withLock { $0[kind, default: 0] += change }
        changed.yield()
    }
}

/// Lives as long as its owner.
private final class LiveToken: Sendable {
    private let end: @Sendable () -> Void

    init(end: @escaping @Sendable () -> Void) { self.end = end }

    deinit { end() }
}

private struct CountedPlugin: PluginType {
    let token: LiveToken
}

/// Adds a token to each request, which a request retains as part of its origin.
private final class CountingSession: Session, @unchecked Sendable {
    private let live: LiveObjects

    init(live: LiveObjects) {
        self.live = live
        super.init(
            configuration: .af.default, rootQueue: nil, startRequestsImmediately: false, requestQueue: nil,
            serializationQueue: nil, interceptor: nil, serverTrustManager: nil)
    }

    override func request(
        _ convertible: any URLRequestConvertible, interceptor: (any RequestInterceptor)?
    ) -> DataRequest {
        super.request(counted(convertible), interceptor: interceptor)
    }

    override func download(
        _ convertible: any URLRequestConvertible, interceptor: (any RequestInterceptor)?,
        to destination: DownloadRequest.Destination?
    ) -> DownloadRequest {
        super.download(counted(convertible), interceptor: interceptor, to: destination)
    }

    private func counted(_ convertible: any URLRequestConvertible) -> CountedConvertible {
        CountedConvertible(convertible: convertible, token: live.token("request"))
    }
}

private struct CountedConvertible: URLRequestConvertible {
    let convertible: any URLRequestConvertible
    let token: LiveToken

    func asURLRequest() throws -> URLRequest { try convertible.asURLRequest() }
}
