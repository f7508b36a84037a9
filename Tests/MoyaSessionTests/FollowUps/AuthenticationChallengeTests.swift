import MoyaSession
import Testing

@Suite struct AuthenticationChallengeTests {
    private func parsed(_ values: String...) -> [String] {
        AuthenticationChallenge.parse(values).map { challenge in
            ([challenge.scheme, challenge.token].compactMap { $0 }
                + challenge.parameters.map { "\($0.name)<\($0.value)>" })
                .joined(separator: " ")
        }
    }

    static let lines: [(String, [String])] = [
        (#"Basic realm="simple""#, ["Basic realm<simple>"]),
        (#"Basic realm=simple"#, ["Basic realm<simple>"]),
        ("Basic", ["Basic"]),
        ("Basic, Digest", ["Basic", "Digest"]),
        ("Negotiate abc+/==", ["Negotiate abc+/=="]),
        ("NTLM TlRMTVNTUAA=, Basic realm=x", ["NTLM TlRMTVNTUAA=", "Basic realm<x>"]),
        (
            #"Newauth realm="apps", type=1, title="Login to \"apps\"", Basic realm="simple""#,
            [#"Newauth realm<apps> type<1> title<Login to "apps">"#, "Basic realm<simple>"]
        ),
        (#"Digest qop="auth, Basic realm=x", nonce=n"#, ["Digest qop<auth, Basic realm=x> nonce<n>"]),
        (#"Basic realm = "spaced" , charset="UTF-8""#, ["Basic realm<spaced> charset<UTF-8>"]),
        (#", , Basic ,, realm=x"#, ["Basic realm<x>"]),
        ("", []),
        (#"Basic realm="unterminated"#, ["Basic"]),
        (#"=x, Basic realm=y"#, ["Basic realm<y>"]),
        (#"Basic realm=a b, Digest"#, ["Basic", "Digest"]),
        ("Basic\trealm=x", ["Basic realm<x>"]),
        (#"Basic realm="""#, ["Basic realm<>"]),
        (#"Bad@Scheme x="a, Basic realm=b", Digest realm=c"#, ["Bad", "Digest realm<c>"]),
        ("Basic realm=", ["Basic realm="]),
    ]

    @Test(arguments: lines) func listOfChallengesIsRead(line: String, expected: [String]) {
        #expect(parsed(line) == expected)
    }

    @Test func severalFieldsAreReadInOrder() {
        #expect(parsed("Digest realm=a", "Basic realm=b") == ["Digest realm<a>", "Basic realm<b>"])
    }

    @Test func parameterNamesIgnoreCase() {
        #expect(AuthenticationChallenge.parse(["Basic REALM=x"]).first?.value(of: "realm") == "x")
    }
}
