import MoyaSession
import Testing

@Suite struct BasicAuthenticationTests {
    @Test(arguments: [
        ("Aladdin", "open sesame", "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="), ("test", "123£", "Basic dGVzdDoxMjPCow=="),
        ("", "", "Basic Og=="),
    ]) func credentialsAreEncodedAsUTF8(user: String, password: String, expected: String) {
        #expect(BasicAuthentication.authorization(user: user, password: password) == expected)
    }
}
