import Testing

@testable import MoyaSession

@Suite struct CacheStatusTests {
    @Test(
        arguments: [
            ("Moya; hit; ttl=5", .hit), ("Moya; hit; ttl=-5", .stale), ("Moya; fwd=uri-miss; stored", .miss),
            ("Moya; fwd=stale; fwd-status=304; ttl=5", .revalidated),
            ("Moya; fwd=stale; fwd-status=503; ttl=-5; detail=stale-if-error", .stale),
            ("Edge; hit, Moya; fwd=vary-miss", .miss),
        ] as [(String, CacheStatus.Outcome)])
    func readsItsMember(value: String, outcome: CacheStatus.Outcome) throws {
        let status = try #require(CacheStatus(fieldValue: value))
        #expect(status.outcome == outcome)
        #expect(value.hasSuffix(status.description))
    }

    @Test(arguments: ["", "Edge; hit", "Moya; hit, Edge; hit", ";;;", "Moyaa"])
    func otherCachesAreNotThisOne(value: String) { #expect(CacheStatus(fieldValue: value) == nil) }
}

@Suite struct SHA256Tests {
    @Test(
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
        ])
    func isTheDigestOfTheStandard(text: String, digest: String) {
        let hex = SHA256.digest(Array(text.utf8)).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        #expect(hex == digest)
    }
}
