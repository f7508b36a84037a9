import Foundation
import Moya
import MoyaSession
import MoyaTesting

/// A middleware whose behaviour a test sets.
struct ClosureMiddleware: MoyaMiddleware {
    typealias Body = @Sendable (MiddlewareCall, NextMiddleware) async throws(MoyaError) -> Response

    let body: Body

    init(_ body: @escaping Body) { self.body = body }

    func intercept(_ call: MiddlewareCall, next: NextMiddleware) async throws(MoyaError) -> Response {
        try await body(call, next)
    }

    /// Writes down a call on its way in and on its way out.
    static func recording(_ name: String, in events: Recorder<String>) -> ClosureMiddleware {
        ClosureMiddleware { call, next throws(MoyaError) in
            events.append("\(name) in")
            defer { events.append("\(name) out") }
            return try await next(call)
        }
    }

    /// Waits on the call's clock before it passes a call on.
    static func waiting(_ duration: Duration) -> ClosureMiddleware {
        ClosureMiddleware { call, next throws(MoyaError) in
            try await call.wait(for: duration)
            return try await next(call)
        }
    }

    /// Calls again until there were so many attempts.
    static func repeating(_ count: Int) -> ClosureMiddleware {
        ClosureMiddleware { call, next throws(MoyaError) in
            var call = call
            while call.attempt < count {
                _ = try? await next(call)
                call = call.again()
            }
            return try await next(call)
        }
    }
}

extension MoyaError {
    /// `true` if a deadline has passed.
    var isTimeout: Bool {
        guard case .underlying(let error, _) = self, case .sessionTaskFailed(let cause)? = error as? SessionError else {
            return false
        }
        return (cause as? URLError)?.code == .timedOut
    }
}
