import MoyaSession
import Testing

@Suite struct SecretMaskTests {
    @Test(arguments: [
        ("https://example.com/a@b", "https://example.com/a@b"),
        ("https://u@example.com", "https://<masked>@example.com"),
        ("https://u:p@example.com/", "https://<masked>@example.com/"),
        ("https://u:p@q@example.com/", "https://<masked>@example.com/"),
        ("https://u:p@\u{301}example.com/", "https://<masked>@\u{301}example.com/"),
        ("https://example.com?a=//b@c", "https://example.com?a=//b@c"),
        ("//u:p@example.com", "//<masked>@example.com"), ("mailto:a@b", "mailto:a@b"), ("", ""),
    ]) func userInformationIsMasked(url: String, expected: String) {
        #expect(SecretMask.maskingUserInformation(in: url) == expected)
    }

    @Test(arguments: ["Authorization", "cookie", "PROXY-AUTHORIZATION"]) func secretHeadersAreHidden(name: String) {
        #expect(SecretMask.hidesHeader(named: name))
    }

    @Test func otherHeadersAreShown() {
        #expect(!SecretMask.hidesHeader(named: "Accept"))
    }
}
