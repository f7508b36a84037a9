import Foundation
import Moya
import Testing

/// A session with an authorization server made with Authlib, whose refresh tokens are valid once.
@Suite(.needsServers)
struct OAuth2Tests {
    private enum API: TargetType {
        case login(URL, user: String)
        case revoke(URL, refreshToken: String)
        case expiry(URL, accessToken: String)
        case statistics(URL, user: String)
        case item(URL, Int)

        var baseURL: URL {
            switch self {
            case .login(let url, _), .revoke(let url, _), .expiry(let url, _), .statistics(let url, _),
                .item(let url, _):
                url
            }
        }
        var path: String {
            switch self {
            case .login: "/token"
            case .revoke: "/revoke"
            case .expiry: "/expired"
            case .statistics: "/statistics"
            case .item(_, let number): "/api/item/\(number)"
            }
        }
        var method: Moya.Method {
            switch self {
            case .login, .revoke: .post
            default: .get
            }
        }
        var task: Moya.RequestTask {
            switch self {
            case .login(_, let user):
                .requestParameters(
                    parameters: [
                        "grant_type": "password", "username": user, "password": "secret", "client_id": "moya",
                    ], encoding: URLEncoding.httpBody)
            case .revoke(_, let token):
                .requestParameters(parameters: ["token": token], encoding: URLEncoding.httpBody)
            case .expiry(_, let token):
                .requestParameters(parameters: ["token": token], encoding: URLEncoding.queryString)
            case .statistics(_, let user):
                .requestParameters(parameters: ["user": user], encoding: URLEncoding.queryString)
            case .item: .requestPlain
            }
        }
        var headers: [String: String]? { nil }
    }

    private struct Item: Decodable, Sendable { let item: Int }
    private struct Statistics: Decodable, Sendable { let refreshes: Int }

    private let server: URL
    private let user = "user-\(UInt32.random(in: 0 ... .max))"
    private let plain = MoyaProvider<API>()
    private let store = InMemoryTokenStore()

    init() throws {
        server = try #require(Servers.running).oauth
    }

    private func provider(onLogOut: @escaping @Sendable () async -> Void = {}) -> MoyaProvider<API> {
        let refresh = SessionRefresh(
            tokens: store, tokenURL: server.appendingPathComponent("token"), clientID: "moya", onLogOut: onLogOut)
        return MoyaProvider(middleware: [refresh, RetryMiddleware(attempts: 3)])
    }

    private func logIn() async throws -> OAuthTokens {
        let tokens = try await plain.request(.login(server, user: user), as: OAuthTokens.self)
        await store.save(tokens)
        return tokens
    }

    /// Makes a hundred calls at once, and gives their ends.
    private func hundredCalls(_ provider: MoyaProvider<API>) async -> [Result<Item, MoyaError>] {
        let server = server
        return await withTaskGroup(of: Result<Item, MoyaError>.self) { group in
            for number in 0..<100 {
                group.addTask {
                    do throws(MoyaError) {
                        return .success(try await provider.request(.item(server, number), as: Item.self))
                    } catch {
                        return .failure(error)
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }

    private func refreshes() async throws -> Int {
        try await plain.request(.statistics(server, user: user), as: Statistics.self).refreshes
    }

    @Test func aHundredCallsAtOnceSurviveTheExpiryOfTheirTokens() async throws {
        let provider = provider()
        var tokens = try await logIn()
        for round in 1...3 {
            _ = try await plain.request(.expiry(server, accessToken: tokens.accessToken))
            tokens.expiry = Date()
            await store.save(tokens)
            let ends = await hundredCalls(provider)
            #expect(ends.compactMap { try? $0.get().item }.sorted() == Array(0..<100))
            // One refresh for all of them, unless the hundred took longer than a token lives.
            #expect((round...3 * round).contains(try await refreshes()))
            tokens = try #require(await store.load())
        }
    }

    @Test func tokenThatExpiresEarlyIsRefreshedOnce() async throws {
        var tokens = try await logIn()
        _ = try await plain.request(.expiry(server, accessToken: tokens.accessToken))
        tokens.expiry = nil
        await store.save(tokens)
        let ends = await hundredCalls(provider())
        #expect(ends.allSatisfy { (try? $0.get()) != nil })
        #expect((1...3).contains(try await refreshes()))
    }

    @Test func revokedSessionFailsEveryCallAndLogsOutOnce() async throws {
        let (logOuts, logOut) = AsyncStream.makeStream(of: Void.self)
        let tokens = try await logIn()
        _ = try await plain.request(.revoke(server, refreshToken: try #require(tokens.refreshToken)))
        _ = try await plain.request(.expiry(server, accessToken: tokens.accessToken))
        let ends = await hundredCalls(provider(onLogOut: { logOut.yield() }))
        #expect(ends.allSatisfy { (try? $0.get()) == nil })
        #expect(await store.load() == nil)
        for await _ in logOuts.prefix(1) {}
        logOut.finish()
        #expect(await logOuts.reduce(0) { count, _ in count + 1 } == 0)
        #expect(try await refreshes() == 0)
    }
}
