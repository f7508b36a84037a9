import Foundation
import Moya
import Testing

@Suite struct TokensTests {
    private func decode(_ json: String) throws -> OAuthTokens {
        try JSONDecoder().decode(OAuthTokens.self, from: Data(json.utf8))
    }

    @Test func answerOfATokenEndpointIsDecoded() throws {
        let tokens = try decode(
            #"{"access_token":"a","token_type":"Bearer","expires_in":3600,"refresh_token":"r","scope":"s"}"#)
        #expect(tokens.accessToken == "a")
        #expect(tokens.refreshToken == "r")
        #expect(tokens.lifetime == 3_600)
        #expect(abs(try #require(tokens.expiry).timeIntervalSinceNow - 3_600) < 60)
    }

    @Test(arguments: ["{\"access_token\":\"a\"}", "{\"access_token\":\"a\",\"expires_in\":null}"])
    func absentLifetimeIsNotKnown(_ json: String) throws {
        #expect(try decode(json).expiry == nil)
    }

    @Test func lifetimeWrittenAsAStringIsRead() throws {
        #expect(try decode(#"{"access_token":"a","expires_in":"60"}"#).lifetime == 60)
    }

    /// The field is the store's; servers use the name for other formats.
    @Test func expiryOfAnotherFormatIsIgnored() throws {
        let tokens = try decode(#"{"access_token":"a","expires_in":60,"expires_at":"2030-01-01T00:00:00Z"}"#)
        #expect(abs(try #require(tokens.expiry).timeIntervalSinceNow - 60) < 60)
    }

    /// A refresh with it would be refused, and log the user out.
    @Test func emptyRefreshTokenIsNone() throws {
        var tokens = OAuthTokens(accessToken: "a", refreshToken: "r")
        tokens.refreshToken = ""
        let made = [tokens, OAuthTokens(accessToken: "a", refreshToken: ""), OAuthTokens(refreshToken: "")]
        let decoded = try decode(#"{"access_token":"a","refresh_token":""}"#)
        #expect((made + [decoded]).allSatisfy { $0.refreshToken == nil })
    }

    @Test func lifetimeIsBounded() throws {
        let tokens = try decode(#"{"access_token":"a","expires_in":1e300}"#)
        #expect(try #require(tokens.lifetime) < 3.2e9)
    }

    @Test(arguments: [
        #"{"access_token":"a","expires_in":-1}"#, #"{"access_token":"a","expires_in":"soon"}"#,
        #"{"access_token":"a","expires_in":"nan"}"#, #"{"access_token":""}"#, #"{"refresh_token":"r"}"#,
        #"{"access_token":null}"#, "<html>", "", "[]", #"{"access_token":5}"#,
    ])
    func malformedAnswersAreErrors(_ json: String) {
        #expect(throws: DecodingError.self) { try decode(json) }
    }

    @Test(arguments: [
        OAuthTokens(accessToken: "a", refreshToken: "r", expiry: Date(timeIntervalSince1970: 5), lifetime: 60),
        OAuthTokens(accessToken: "a"), OAuthTokens(refreshToken: "r"),
    ])
    func storedTokensAreReadAgain(_ tokens: OAuthTokens) throws {
        #expect(try JSONDecoder().decode(OAuthTokens.self, from: JSONEncoder().encode(tokens)) == tokens)
    }

    @Test func tokensWithoutAnAccessTokenAreReadAgain() throws {
        let stored = try JSONEncoder().encode(OAuthTokens(accessToken: "", refreshToken: "r"))
        let tokens = try JSONDecoder().decode(OAuthTokens.self, from: stored)
        #expect(tokens.accessToken.isEmpty)
        #expect(tokens.refreshToken == "r")
    }

    @Test func tokensAreNeverPrinted() {
        let tokens = OAuthTokens(accessToken: "secret-access", refreshToken: "secret-refresh")
        var dumped = ""
        dump(tokens, to: &dumped)
        #expect(!"\(tokens) \(String(reflecting: tokens)) \(dumped)".contains("secret"))
    }

    @Test func expiryAndLifetimeCanAlwaysBeEncoded() throws {
        var tokens = OAuthTokens(accessToken: "a", expiry: Date(timeIntervalSince1970: .infinity), lifetime: -.infinity)
        #expect(tokens.expiry == .distantFuture)
        #expect(tokens.lifetime == 0)
        #expect(try JSONDecoder().decode(OAuthTokens.self, from: JSONEncoder().encode(tokens)) == tokens)
        tokens.expiry = Date(timeIntervalSince1970: .nan)
        tokens.lifetime = .nan
        #expect(tokens == OAuthTokens(accessToken: "a"))
    }
}
