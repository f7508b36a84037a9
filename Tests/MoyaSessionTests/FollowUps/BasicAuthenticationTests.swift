import MoyaSession
import Testing

@Suite struct BasicAuthenticationTests {
    @Test(arguments: ["Basic realm=x", "basic realm=x", "BASIC", #"Digest realm="a", Basic realm="b""#])
    func basicIsOffered(value: String) {
        #expect(BasicAuthentication.isOffered(in: [value]))
    }

    @Test(arguments: ["Digest realm=x", #"Digest realm="x, Basic realm=y""#, "Basically", "", "Digest basic=1"])
    func basicIsNotOffered(value: String) {
        #expect(!BasicAuthentication.isOffered(in: [value]))
    }

    @Test func basicIsOfferedInASecondField() {
        #expect(BasicAuthentication.isOffered(in: ["Negotiate", "Basic realm=x"]))
    }

    @Test func realmIsThatOfTheBasicChallenge() {
        #expect(BasicAuthentication.realm(in: [#"Digest realm="a", Basic realm="b""#]) == "b")
    }

    @Test(arguments: [
        ("Aladdin", "open sesame", "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="), ("test", "123£", "Basic dGVzdDoxMjPCow=="),
        ("", "", "Basic Og=="),
    ]) func credentialsAreEncodedAsUTF8(user: String, password: String, expected: String) {
        #expect(BasicAuthentication.authorization(user: user, password: password) == expected)
    }
}
