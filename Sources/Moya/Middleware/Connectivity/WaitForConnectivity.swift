import Foundation
import MoyaSession

/// A middleware that makes calls wait until there is a network.
///
///     WaitForConnectivity(online: NetworkReachability.shared.isOnline, waitingAtMost: .seconds(30))
///
/// A call that waited is made once, in the order of the calls; before iOS 18 and macOS 15 a call may overtake one made
/// just before it. A call that is cancelled while it waits is never made. Calls in flight when the network disappears
/// are not affected.
///
/// While there is known to be no network, a stored response of the session's `HTTPCache` answers a call at once: a
/// fresh one, or a stale one that may replace an error. `Response.cacheStatus` then has the detail `offline`.
///
/// ### Rules for the sequence
/// One task reads the sequence from the first call on, during the lifetime of the middleware, so a sequence that can be
/// read only once is sufficient. The last element counts. Before the first element, calls wait. A sequence that ends
/// after `true` means `true` forever. If it ends otherwise or fails, waiting and later calls fail with an
/// ``OfflineError``. `waitingAtMost` and the call's total deadline limit the wait for a sequence that never yields.
///
/// Each value has its own queue: two providers that share a value share the order of calls.
public struct WaitForConnectivity: MoyaMiddleware {
    private let monitor: ConnectivityMonitor
    private let limit: Duration?
    private let order = WokenOrder()

    /// The maximum wait for the first element if the connectivity is only checked.
    private static let longestCheck = Duration.seconds(1)

    /// Makes a middleware.
    ///
    /// - Parameters:
    ///   - online: The connectivity: each element is valid until the next.
    ///   - limit: The maximum wait of a call before it fails with ``OfflineError/stillOffline(after:)``; `nil` for no
    ///     limit. If it is not positive, the connectivity is only checked; a call before the first element waits for it
    ///     for at most a second.
    public init<Online: AsyncSequence & Sendable>(
        online: Online, waitingAtMost limit: Duration? = .seconds(60)
    ) where Online.Element == Bool {
        monitor = ConnectivityMonitor(online)
        self.limit = limit
    }

    /// Passes the call on once there is a network.
    public func intercept(_ call: MiddlewareCall, next: NextMiddleware) async throws(MoyaError) -> Response {
        switch monitor.known() {
        case .success(true): return try await next(call)
        case .failure(let error): throw .underlying(error, nil)
        case .success(false), nil: break
        }
        return try await order.run { requestIsSent async throws(MoyaError) in
            var call = call
            call.onSent = { [outer = call.onSent] in
                outer?()
                requestIsSent()
            }
            let began = call.elapsed
            let onlyChecks = self.limit.map { $0 <= .zero } ?? false
            var limit: Duration? = onlyChecks ? Self.longestCheck : self.limit
            var mayBeStored = call.plugins?.session.cache?.mayAnswer(call.request) == true
            while true {
                switch await monitor.wait(call, atMost: limit, endsOffline: mayBeStored || onlyChecks) {
                case .success(true): return try await next(call)
                case .success(false):
                    if mayBeStored, let response = await storedResponse(to: call, next) { return response }
                    guard !onlyChecks else { throw stillOffline }
                    mayBeStored = false
                    limit = self.limit.map { $0 - (call.elapsed - began) }
                case .failure(.stillOffline): throw stillOffline
                case .failure(let error): throw .underlying(error, nil)
                case nil: throw .cancelled
                }
            }
        }
    }

    /// The error of a call that is still offline.
    ///
    /// It states the whole wait, also if a stored response or a check took a part of it.
    private var stillOffline: MoyaError { .underlying(OfflineError.stillOffline(after: limit ?? .zero), nil) }

    /// The response of the session's cache to a call that cannot be made, or `nil`.
    private func storedResponse(to call: MiddlewareCall, _ next: NextMiddleware) async -> Response? {
        var call = call
        call.isOffline = true
        // An attempt that only the cache may answer sends nothing, and a call that waits again keeps its place.
        call.onSent = nil
        do throws(MoyaError) {
            return try await next(call)
        } catch {
            return nil
        }
    }
}
