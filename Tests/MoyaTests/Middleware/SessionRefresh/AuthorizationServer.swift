import Foundation
import Moya
import MoyaTesting
import MoyaTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A server that issues tokens and takes only the last one it issued; for stubbed providers.
final class AuthorizationServer: Sendable {
    private let issued = Lock(0)
    private let log = Recorder<String>()
    /// Holds every refresh until a test opens it.
    let gate: Gate
    let failure = Lock<(any Error)?>(nil)
    let lifetime: TimeInterval?

    init(lifetime: TimeInterval? = 3_600, isOpen: Bool = true) {
        self.lifetime = lifetime
        gate = Gate(isOpen: isOpen)
    }

    var refreshes: [String] { log.values }

    func refresh(_ refreshToken: String) async throws -> OAuthTokens {
        log.append(refreshToken)
        try await gate.wait()
        if let failure = failure.withLock({ $0 }) { throw failure }
        let number = issued.withLock { number in
            number += 1
            return number
        }
        return OAuthTokens(accessToken: "access\(number)", refreshToken: "refresh\(number)", lifetime: lifetime)
    }

    /// Answers 200 to the token issued last, 401 to any other.
    var transport: StepwiseTransport {
        StepwiseTransport { [self] request, exchange in
            exchange.answer(token(of: request) == "access\(issued.withLock { $0 })" ? 200 : 401)
        }
    }

    func token(of request: HTTPRequest) -> String? {
        request.fields.first { $0.name == "Authorization" }.map {
            $0.value.replacingOccurrences(of: "Bearer ", with: "")
        }
    }

    static let refusal = MoyaError.statusCode(Response(statusCode: 401, data: Data()))
}

/// Keeps tokens, and counts how often they are read.
struct CountingStore: OAuthTokenStore {
    let loads = Gate(isOpen: true)
    private let store: InMemoryTokenStore

    init(_ tokens: OAuthTokens) { store = InMemoryTokenStore(tokens) }

    func load() async throws -> OAuthTokens? {
        try? await loads.wait()
        return await store.load()
    }

    func save(_ tokens: OAuthTokens) async throws { await store.save(tokens) }

    func clear() async throws { await store.clear() }
}
