import Foundation
import FoundationNetworking
import Moya
import MoyaSession

extension AttackCommand {
    /// Sets a setting to an extreme value and makes a call with it, which is cancelled after four seconds.
    @Sendable static func set(_ order: Order) async throws -> String {
        guard let name = order.name, let text = order.value, let text2 = order.calls?.first?.url,
            let url = URL(string: text2)
        else { return "no setting" }
        let call = _Concurrency.Task { try await result(of: name, Extreme(text: text), url) }
        let bound = _Concurrency.Task {
            try await _Concurrency.Task.sleep(for: .seconds(4))
            call.cancel()
        }
        defer { bound.cancel() }
        do {
            return try await call.value
        } catch {
            return words(error)
        }
    }

    private static func result(of name: String, _ value: Extreme, _ url: URL) async throws -> String {
        func get(
            _ session: Session = Session(), deadlines: Deadlines = Deadlines(), middleware: [any MoyaMiddleware] = [],
            authorization: AuthorizationType? = nil, validation: ValidationType = .none
        )
            async throws -> String
        {
            let provider = MoyaProvider<OrderedTarget>(session: session, middleware: middleware)
            let target = OrderedTarget(baseURL: url, authorizationType: authorization, validationType: validation)
            let response = try await provider.request(target, deadlines: deadlines)
            return "\(response.statusCode)"
        }
        func send(_ change: (inout URLRequest) -> Void) async throws -> String {
            var request = URLRequest(url: url)
            change(&request)
            let session = Session(startRequestsImmediately: false)
            defer { withExtendedLifetime(session) {} }
            return await send(session.request(request))
        }
        func send(_ request: DataRequest) async -> String {
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    request.response(queue: .global()) {
                        continuation.resume(returning: $0.error.map(words) ?? "\($0.response?.statusCode ?? 0)")
                    }.resume()
                }
            } onCancel: {
                request.cancel()
            }
        }
        switch name {
        case "Deadlines.connect": return try await get(deadlines: Deadlines(connect: value.duration))
        case "Deadlines.idle": return try await get(deadlines: Deadlines(idle: value.duration))
        case "Deadlines.attempt": return try await get(deadlines: Deadlines(attempt: value.duration))
        case "Deadlines.total": return try await get(deadlines: Deadlines(total: value.duration))
        case "Session.timeouts":
            let all = Deadlines(
                connect: value.duration, idle: value.duration, attempt: value.duration, total: value.duration)
            return try await get(Session(startRequestsImmediately: false, timeouts: all))
        case "Timeouts":
            let session = Session(startRequestsImmediately: false)
            let bounds = Timeouts(connect: value.double, idle: value.double, total: value.double)
            return await send(
                session.request(HTTPRequest(method: "GET", url: url.absoluteString, timeouts: bounds)))
        case "URLRequest.timeoutInterval": return try await send { $0.timeoutInterval = value.double }
        case "URLSessionConfiguration":
            let configuration = URLSessionConfiguration.af.ephemeral
            configuration.timeoutIntervalForRequest = value.double
            configuration.timeoutIntervalForResource = value.double
            configuration.httpMaximumConnectionsPerHost = value.integer
            return try await get(Session(configuration: configuration, startRequestsImmediately: false))
        case "maximumConnectionsPerHost":
            let settings = TransportConfiguration(maximumConnectionsPerHost: value.integer)
            return try await get(Session(startRequestsImmediately: false, transportConfiguration: settings))
        case "maximumResponseBytes":
            return try await get(Session(startRequestsImmediately: false, maximumResponseBytes: value.integer))
        case "Proxy.port":
            let proxy = TransportConfiguration.Proxy(.http, host: "127.0.0.1", port: value.integer)
            let settings = TransportConfiguration(proxy: .custom(proxy))
            return try await get(Session(startRequestsImmediately: false, transportConfiguration: settings))
        case "RetryMiddleware.attempts":
            return try await get(middleware: [RetryMiddleware(attempts: value.integer, backoff: .none)])
        case "RetryBackoff.base":
            // Jitter may make the longest wait a short one.
            let backoff = RetryBackoff.exponential(base: value.duration, jitter: .none)
            return try await get(middleware: [RetryMiddleware(backoff: backoff)])
        case "RetryBackoff.factor":
            let backoff = RetryBackoff.exponential(
                base: .milliseconds(1), factor: value.double, maximum: .milliseconds(2))
            return try await get(middleware: [RetryMiddleware(backoff: backoff)])
        case "RetryBudget":
            let budget = RetryBudget(ratio: value.double, reserve: value.integer, period: value.duration)
            return try await get(middleware: [RetryMiddleware(backoff: .none, budget: budget)])
        case "RetryMiddleware.longestRetryAfter":
            return try await get(middleware: [RetryMiddleware(backoff: .none, longestRetryAfter: value.duration)])
        case "RetryPolicy":
            let policy = RetryPolicy(
                retryLimit: 3, exponentialBackoffBase: UInt(clamping: value.integer),
                exponentialBackoffScale: value.double, maximumRetryAfter: value.double)
            // A session asks its retrier only about responses that validation refuses.
            return try await get(
                Session(startRequestsImmediately: false, interceptor: policy), validation: .successCodes)
        case "OAuthTokens":
            let tokens = OAuthTokens(
                accessToken: "a", refreshToken: "r", expiry: Date(timeIntervalSince1970: value.double),
                lifetime: value.double)
            let refresh = SessionRefresh(tokens: InMemoryTokenStore(tokens), clockSkew: value.duration) { _ in
                OAuthTokens(accessToken: "b", lifetime: value.double)
            }
            return try await get(middleware: [refresh], authorization: .bearer)
        case "delayedStub":
            let stub = MoyaProvider<OrderedTarget>(
                stubClosure: MoyaProvider<OrderedTarget>.delayedStub(value.double))
            return "\(try await stub.request(OrderedTarget(baseURL: url)).statusCode)"
        case "WaitForConnectivity":
            let online = AsyncStream<Bool> { _ in }
            return try await get(middleware: [WaitForConnectivity(online: online, waitingAtMost: value.duration)])
        case "parameters":
            let parameters: [String: any Sendable] = [
                "n": value.double, "i": value.integer, "d": Date(timeIntervalSince1970: value.double),
            ]
            var target = OrderedTarget(baseURL: url)
            target.task = .requestParameters(parameters: parameters, encoding: URLEncoding.default)
            return "\(try await MoyaProvider<OrderedTarget>().request(target).statusCode)"
        case "parameters.json":
            let parameters: [String: any Sendable] = ["n": value.double, "i": value.integer]
            var target = OrderedTarget(baseURL: url)
            target.method = .post
            target.task = .requestParameters(parameters: parameters, encoding: JSONEncoding.default)
            return "\(try await MoyaProvider<OrderedTarget>().request(target).statusCode)"
        case "multipart":
            let form = RequestMultipartFormData()
            form.append(
                InputStream(data: Data("body".utf8)), withLength: UInt64(clamping: value.integer), name: "a",
                fileName: "b", mimeType: "text/plain")
            let session = Session(startRequestsImmediately: false)
            return await send(
                session.upload(
                    multipartFormData: form, to: url, usingThreshold: UInt64(clamping: value.integer)))
        default: return "an unknown setting"
        }
    }
}

/// An extreme value of a type.
struct Extreme: Sendable {
    let text: String

    var double: Double {
        switch text {
        case "nan": .nan
        case "inf": .infinity
        case "-inf": -.infinity
        case "max": .greatestFiniteMagnitude
        case "min": -.greatestFiniteMagnitude
        case "least": .leastNonzeroMagnitude
        default: Double(text) ?? 0
        }
    }

    var integer: Int {
        switch text {
        case "inf", "max": .max
        case "-inf", "min": .min
        case "least": 1
        default: Int(text) ?? 0
        }
    }

    var duration: Duration {
        switch text {
        case "inf": .seconds(Int64.max) * 18
        case "-inf": .zero - .seconds(Int64.max) * 18
        case "max": .seconds(Int64.max)
        case "min": .seconds(Int64.min)
        case "least": Duration(secondsComponent: 0, attosecondsComponent: 1)
        case "nan": .zero
        default: .seconds(Int64(text) ?? 0)
        }
    }
}
