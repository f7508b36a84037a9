import Foundation
import MoyaTransport

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A server that answers 200 to a request with an accepted token and 401 to any other, at once.
///
/// `/token` needs no token: it answers with a new one, `new-1` and so on, that is accepted from then on.
final class TokenServer: Transport {
    private struct State {
        var accepted: Set<String>
        var isIssuing = true
        var tokens = 0
        /// The `Authorization` of each request, in order; of one to `/token`, `/token`.
        var log: [String] = []
    }

    private let state: Lock<State>

    init(accepting accepted: String...) { state = Lock(State(accepted: Set(accepted))) }

    var log: [String] { state.withLock { $0.log } }

    func accept(_ token: String) { state.withLock { _ = $0.accepted.insert(token) } }

    /// Answers 401 to `/token` from now on.
    func stopIssuing() { state.withLock { $0.isIssuing = false } }

    func start(_ request: HTTPRequest, delivering sink: any TransportSink) -> any TransportExchange {
        let authorization = request.fields.first { $0.name == "Authorization" }?.value ?? ""
        let (status, body) = state.withLock { state -> (Int, String) in
            guard request.url.hasSuffix("/token") else {
                state.log.append(authorization)
                return (state.accepted.contains(authorization) ? 200 : 401, "")
            }
            state.log.append(authorization + "/token")
            guard state.isIssuing else { return (401, "") }
            state.tokens += 1
            state.accepted.insert("new-\(state.tokens)")
            return (200, "new-\(state.tokens)")
        }
        _ = sink.receive(.head(TransportResponseHead(status: status)))
        var bytes = Array(body.utf8)
        bytes.withUnsafeMutableBytes { _ = sink.receive(.chunk(UnsafeRawBufferPointer($0))) }
        _ = sink.receive(.end(TransportEnd()))
        return Exchange()
    }

    private final class Exchange: TransportExchange {
        func cancel() {}
        func pause() {}
        func resume() {}
    }

    /// A session that sends every request to the server.
    func session(_ interceptor: (any RequestInterceptor)?, requestQueue: DispatchQueue? = nil) -> Session {
        let configuration = URLSessionConfiguration.ephemeral
        // A request that would wait for itself fails its test by this.
        configuration.timeoutIntervalForResource = 30
        return Session(
            configuration: configuration, startRequestsImmediately: false, requestQueue: requestQueue,
            interceptor: interceptor, transport: self)
    }
}

extension Session {
    /// A request that fails unless the server answers with 200.
    func call(_ path: String = "/", interceptor: (any RequestInterceptor)? = nil) -> DataRequest {
        request(URLRequest.to("http://a.example" + path), interceptor: interceptor).validate(statusCode: [200])
    }
}
