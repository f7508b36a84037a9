import Foundation
import MoyaSession

/// A middleware that makes calls only while there is a network: a call waits until there is one.
///
///     WaitForConnectivity(online: NetworkReachability.shared.isOnline, waitingAtMost: .seconds(30))
///
/// A call that waited is made once, in the order in which the calls came; before iOS 18 and macOS 15 a call may overtake
/// one that came a moment before it. One that is cancelled while it waits is never
/// made. A call that is under way when the network goes is left alone.
///
/// ### Rules for the sequence
/// It is read from the first call on, by one task, for as long as the middleware is there: one that can be read only
/// once is enough. Its last element counts. Before the first element, calls wait. Ended after `true`, it means `true`
/// for ever; ended otherwise, or failed, it fails the calls that wait and those that come, with an ``OfflineError``. A
/// sequence that never yields is bounded by `waitingAtMost` and the call's total deadline.
///
/// Each value queues its calls: one that is given to two providers keeps one order for both.
public struct WaitForConnectivity: Middleware {
    private let watch: ConnectivityMonitor
    private let limit: Duration?
    private let order = WokenOrder()

    /// Makes a middleware.
    ///
    /// - Parameters:
    ///   - online: The connectivity: each element holds until the next.
    ///   - limit: The longest wait of a call before it fails with ``OfflineError/stillOffline(after:)``; for ever when
    ///     `nil`, and no longer than it takes to look when it is not positive.
    public init<Online: AsyncSequence & Sendable>(
        online: Online, waitingAtMost limit: Duration? = .seconds(60)
    ) where Online.Element == Bool {
        watch = ConnectivityMonitor(online)
        self.limit = limit
    }

    /// Passes the call on once there is a network.
    public func intercept(_ call: Call, next: Next) async throws(MoyaError) -> Response {
        switch watch.admission() {
        case .proceed: return try await next(call)
        case .refuse(let error): throw .underlying(error, nil)
        case .wait: break
        }
        return try await order.run { () async throws(MoyaError) in
            switch await watch.wait(call, atMost: limit) {
            case .success: return try await next(call)
            case .failure(let error): throw .underlying(error, nil)
            case nil: throw .cancelled
            }
        }
    }
}
