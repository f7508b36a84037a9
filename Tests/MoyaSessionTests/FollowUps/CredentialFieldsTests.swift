import MoyaTesting
import MoyaTransport
import Testing

@testable import MoyaSession

/// The fields that stay with their origin.
@Suite struct CredentialFieldsTests {
    @Test(arguments: [
        "AccessKey", "X-AccessKey", "SubscriptionKey", "X-PrivateKey", "X-SharedKey", "X-ClientKey", "X-SessionKey",
        "X-AuthCode", "X-TokenId", "X-Secrets", "X-Cookies", "X-Signatures", "X-Token2", "X-Authentication",
        "X-Tenant-Key",
    ])
    func containsCredentialsInEverySpelling(name: String) {
        #expect(CredentialFields().contains(name))
    }

    @Test(arguments: ["X-Keyboard", "X-Monkey", "Idempotency-Key", "idempotency-key", "X-Author", "X-Keynote"])
    func doesNotContainOtherFields(name: String) {
        #expect(!CredentialFields().contains(name))
    }

    @Test func containsTheKeyOfAnIdempotentRequestIfItIsAdded() {
        #expect(CredentialFields(["Idempotency-Key"]).contains("idempotency-key"))
    }

    /// Names of up to four words, joined in the usual ways.
    @Test(arguments: UInt64(0)..<50) func containsEveryMaskedField(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let words = [
            "x", "access", "key", "token", "id", "secret", "code", "auth", "state", "client", "session", "pin", "api",
            "cookie", "card", "number", "team", "user", "2", "signature", "idempotency", "data", "authentication",
            "sub",
        ]
        for _ in 0..<200 {
            let chosen = (0..<Int.random(in: 1...4, using: &random)).compactMap { _ in
                words.randomElement(using: &random)
            }
            let capitalized = chosen.map { $0.prefix(1).uppercased() + $0.dropFirst() }
            for name in [
                chosen.joined(separator: "-"), chosen.joined(separator: "_"), capitalized.joined(),
                capitalized.joined(separator: "-"), chosen.joined(), chosen.joined().uppercased(),
            ] where SecretNames.contains(name) {
                #expect(CredentialFields().contains(name), "\(name)")
            }
        }
    }
}
