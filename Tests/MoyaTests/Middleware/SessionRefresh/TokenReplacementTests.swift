import Foundation
import Moya
import MoyaTesting
import Testing

/// Tokens that replace others in every store, and in one that has only the required methods.
@Suite struct TokenReplacementTests {
    private let directory: TestDirectory
    private let old = OAuthTokens(accessToken: "a", refreshToken: "old")
    private let new = OAuthTokens(accessToken: "b", refreshToken: "new")

    init() throws { directory = try TestDirectory() }

    private func stores() -> [any OAuthTokenStore] {
        let file = directory.url.appendingPathComponent("tokens.json")
        return [InMemoryTokenStore(), FileTokenStore(file: file), CountingStore(old)]
    }

    @Test func tokensAreReplacedWhereTheOldOnesAreStored() async throws {
        for store in stores() {
            try await store.save(old)
            #expect(try await store.replace(old, with: new) == new)
            #expect(try await store.load() == new)
        }
    }

    @Test func nothingRemovesTheOldTokens() async throws {
        for store in stores() {
            try await store.save(old)
            #expect(try await store.replace(old, with: nil) == nil)
            #expect(try await store.load() == nil)
        }
    }

    @Test(arguments: [OAuthTokens(accessToken: "b", refreshToken: "new"), nil])
    func tokensOfAnotherLoginStay(new: OAuthTokens?) async throws {
        let login = OAuthTokens(accessToken: "c", refreshToken: "login")
        for store in stores() {
            try await store.save(login)
            #expect(try await store.replace(old, with: new) == login)
            #expect(try await store.load() == login)
        }
    }

    @Test func storeStaysEmptyAfterALogout() async throws {
        for store in stores() {
            try await store.clear()
            #expect(try await store.replace(old, with: new) == nil)
            #expect(try await store.load() == nil)
        }
    }
}
