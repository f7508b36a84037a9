import Foundation
import Moya
import MoyaSession
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A provider as in a typical app, with three plugins, a session adapter and a middleware.
enum FurnishedProvider {
    /// - Parameter hasLogger: `true` for a fourth plugin, a logger that is off.
    static func make(_ options: Options, hasLogger: Bool = false) -> MoyaProvider<BenchmarkAPI> {
        var logging = NetworkLoggerPlugin.Configuration(logOptions: .verbose)
        logging.isEnabled = false
        let loggers: [any PluginType] = hasLogger ? [NetworkLoggerPlugin(configuration: logging)] : []
        let activity = Activity()
        let adapter = Adapter { request, _, completion in
            var adapted = request
            adapted.setValue("benchmark", forHTTPHeaderField: "X-Client")
            completion(.success(adapted))
        }
        return MoyaProvider(
            session: options.session(interceptor: adapter),
            middleware: [Timing()],
            plugins: [
                AccessTokenPlugin { _ in "token" },
                NetworkActivityPlugin { change, _ in activity.update(change) },
                StatusCounter(),
            ] + loggers)
    }

    private final class Activity: Sendable {
        private let count = Atomic(0)

        func update(_ change: NetworkActivityChangeType) {
            switch change {
            case .began: count.add(1, ordering: .relaxed)
            case .ended: count.subtract(1, ordering: .relaxed)
            }
        }
    }

    private final class StatusCounter: PluginType {
        private let successes = Atomic(0)

        func didReceive(_ result: Result<Response, MoyaError>, target: any TargetType) {
            if case .success(let response) = result, response.statusCode == 200 { successes.add(1, ordering: .relaxed) }
        }
    }

    private final class Timing: MoyaMiddleware {
        private let nanoseconds = Atomic<Int64>(0)

        func intercept(_ call: MiddlewareCall, next: NextMiddleware) async throws(MoyaError) -> Response {
            let start = ContinuousClock.now
            defer {
                let duration = (ContinuousClock.now - start).components
                nanoseconds.add(
                    duration.seconds * 1_000_000_000 + duration.attoseconds / 1_000_000_000, ordering: .relaxed)
            }
            return try await next(call)
        }
    }
}
