import Foundation
import Moya
import MoyaTesting
import MoyaTransport
import Testing

/// Redirects and expired tokens between the connections of one stream of events.
@Suite struct InterruptedReconnectionTests {
    private static let type: LoopbackFields = ["Content-Type": "text/event-stream"]
    private let policy = Reconnection(attempts: 3, backoff: .none)

    private func events(
        _ provider: MoyaProvider<AnyTarget>, _ url: URL, _ policy: Reconnection? = nil
    ) async -> (data: [String], error: MoyaError?) {
        var data: [String] = []
        do throws(MoyaError) {
            for try await event in provider.events(of: AnyTarget(baseURL: url), reconnecting: policy ?? self.policy) {
                data.append(event.data)
            }
            return (data, nil)
        } catch {
            return (data, error)
        }
    }

    // MARK: Redirects

    @Test func aRedirectWithinAReconnectionKeepsTheId() async throws {
        let server = try await LoopbackServer { exchange in
            switch (exchange.request.path, exchange.request.fields["Last-Event-ID"]) {
            case ("/", nil): try await exchange.respond(200, Self.type, body: "id: 1\ndata: a\n\n")
            case ("/", _): try await exchange.respond(307, ["Location": "/moved"])
            case ("/moved", "1"): try await exchange.respond(200, Self.type, body: "id: 2\ndata: b\n\n")
            default: try await exchange.respond(204)
            }
        }
        let (data, error) = await events(MoyaProvider(), server.url)
        #expect(data == ["a", "b"])
        #expect(error == nil)
        // Each connection begins at the target's own URL.
        #expect(server.requests.map(\.path) == ["/", "/", "/moved", "/", "/moved"])
        #expect(server.requests.map { $0.fields["Last-Event-ID"] } == [nil, "1", "1", "2", "2"])
    }

    @Test func aReconnectionThatIsRedirectedWithoutEndEnds() async throws {
        let redirects = Lock(0)
        let server = try await LoopbackServer { exchange in
            guard exchange.request.fields["Last-Event-ID"] == "1" else {
                return try await exchange.respond(200, Self.type, body: "id: 1\ndata: a\n\n")
            }
            try await exchange.respond(302, ["Location": "/again/\(redirects.add(1))"])
        }
        let (data, error) = await events(MoyaProvider(), server.url)
        #expect(data == ["a"])
        #expect(error != nil)
        // One connection, and one more with the twenty redirects that a call follows.
        #expect(server.requestCount == 22)
    }

    @Test func connectionsThatAreRedirectedToStreamsWithoutEventsAreBounded() async throws {
        let server = try await LoopbackServer { exchange in
            let path = exchange.request.path
            guard path == "/empty" else { return try await exchange.respond(302, ["Location": "/empty"]) }
            try await exchange.respond(200, Self.type, body: ": nothing\n\n")
        }
        let (data, error) = await events(MoyaProvider(), server.url)
        #expect(data.isEmpty)
        #expect(error == nil)
        #expect(server.requestCount == 2 * 4)
    }

    // MARK: Tokens

    /// A server of tokens and events: it takes the newest token only.
    private final class TokenServer: Sendable {
        let newest = Lock(0)
        let refreshes = Recorder<String>()

        func isRefused(_ request: LoopbackRequest) -> Bool {
            request.fields["Authorization"] != "Bearer \(newest.withLock { $0 })"
        }

        func expire() { newest.withLock { $0 += 1 } }

        /// A provider whose token is the newest one until it expires.
        func provider() -> MoyaProvider<AnyTarget> {
            let store = InMemoryTokenStore(
                OAuthTokens(accessToken: "0", refreshToken: "refresh", expiry: .distantFuture))
            return MoyaProvider(middleware: [
                SessionRefresh(
                    tokens: store,
                    refreshing: { [self] in
                        refreshes.append($0)
                        return OAuthTokens(
                            accessToken: "\(newest.withLock { $0 })", refreshToken: "refresh", expiry: .distantFuture)
                    })
            ])
        }
    }

    @Test func a401WithinAReconnectionRenewsTheTokenAndKeepsTheId() async throws {
        let tokens = TokenServer()
        let server = try await LoopbackServer { exchange in
            guard !tokens.isRefused(exchange.request) else { return try await exchange.respond(401) }
            switch exchange.request.fields["Last-Event-ID"] {
            case nil:
                tokens.expire()
                try await exchange.respond(200, Self.type, body: "id: 1\ndata: a\n\n")
            case "1": try await exchange.respond(200, Self.type, body: "id: 2\ndata: b\n\n")
            default: try await exchange.respond(204)
            }
        }
        let (data, error) = await events(tokens.provider(), server.url)
        #expect(data == ["a", "b"])
        #expect(error == nil)
        #expect(tokens.refreshes.count == 1)
        #expect(server.requests.map { $0.fields["Last-Event-ID"] } == [nil, "1", "1", "2"])
    }

    @Test func a401ThatStaysEndsTheStream() async throws {
        let server = try await LoopbackServer { exchange in
            guard exchange.request.fields["Last-Event-ID"] == nil else { return try await exchange.respond(401) }
            try await exchange.respond(200, Self.type, body: "id: 1\ndata: a\n\n")
        }
        let (data, error) = await events(TokenServer().provider(), server.url)
        #expect(data == ["a"])
        #expect(error?.response?.statusCode == 401)
        #expect(server.requestCount == 3)
    }

    @Test(arguments: [1, 2])
    func deliversEachEventOnceOverAHundredCutsAndTwoExpiredTokens(seed: UInt64) async throws {
        let (count, tokens) = (10_000, TokenServer())
        let cuts = Lock((left: 100, random: SeededGenerator(seed: seed)))
        let server = try await LoopbackServer { exchange in
            guard !tokens.isRefused(exchange.request) else { return try await exchange.respond(401, body: "expired") }
            let last = Int(exchange.request.fields["Last-Event-ID"] ?? "") ?? 0
            guard last < count else { return try await exchange.respond(204) }
            let text = (last + 1...count).map { "id: \($0)\ndata: event \($0)\n\n" }.joined()
            var bytes = Array(text.utf8)
            let (isReset, expires) = cuts.withLock { cuts in
                guard cuts.left > 0 else { return (false, false) }
                cuts.left -= 1
                bytes = Array(bytes.prefix(.random(in: 0...5000, using: &cuts.random)))
                return (Bool.random(using: &cuts.random), cuts.left == 66 || cuts.left == 33)
            }
            try await exchange.send(head: 200, Self.type)
            try await exchange.send(bytes)
            if expires { tokens.expire() }
            if isReset { exchange.reset() } else { exchange.close() }
        }
        let policy = Reconnection(attempts: 100, backoff: .none)
        let (data, error) = await events(tokens.provider(), server.url, policy)
        #expect(error == nil)
        #expect(data == (1...count).map { "event \($0)" })
        #expect(cuts.withLock { $0.left } == 0)
        #expect(tokens.refreshes.count == 2)
    }
}
