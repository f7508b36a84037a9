import Foundation
import MoyaTransport
import Testing

/// Secrets between quotation marks that are doubled, tripled or behind a letter; in each case the secret is `s3cr3t`.
@Suite struct SecretMaskQuotesTests {
    @Test(arguments: [
        ("password: 'it''s s3cr3t'", "password: '<masked>'"),
        (#"Server=x;Password="a""s3cr3t";Port=1"#, #"Server=x;Password="<masked>";Port=1"#),
        ("password = \"\"\"s3cr3t\"\"\" # x", "password = \"<masked>\" # x"),
        (#"password = @"s3cr3t" x"#, #"password = @"<masked>" x"#),
        (#"Foo(password=u"s3cr3t x", a=1)"#, #"Foo(password=u"<masked>", a=1)"#),
        ("foo password: b's3cr3t'", "foo password: b'<masked>'"),
        (#"password: u"a"s3cr3t"#, "password: <masked>"),
        (#"password="" a="b""#, #"password="" a="b""#),
    ]) func masksTheWholeString(text: String, expected: String) {
        #expect(SecretMask.standard.text(text) == expected)
    }

    @Test(arguments: [
        #"{"sql":"UPDATE users SET password='it''s s3cr3t' WHERE id=1"}"#,
        #"{"query":"mutation { login(password: \"\"\"s3cr3t\"\"\") { token } }"}"#,
    ]) func masksTheWholeStringWithinJSON(text: String) {
        #expect(!String(decoding: SecretMask.standard.body(Data(text.utf8)), as: UTF8.self).contains("s3cr3t"))
    }

    /// JSON Patch (RFC 6902), and SCIM (RFC 7644 section 3.5.2).
    @Test(arguments: [
        #"[{"op":"replace","path":"/user/password","value":"s3cr3t"}]"#,
        #"{"op":"add","path":"/users/1/tokens","value":["s3cr3t"]}"#,
        #"{"Operations":[{"op":"replace","path":"password","value":"s3cr3t"}]}"#,
        #"{"value":"s3cr3t","attribute":"password"}"#,
        #"<Attribute Name="token"><AttributeValue>s3cr3t</AttributeValue></Attribute>"#,
        "?p%2561ssword=s3cr3t&user%255Bpin%255D=s3cr3t",
        // Decoded once more, the name would begin with "Zpi".
        "?%255api_key=s3cr3t",
        "?%25252525252525252570in=s3cr3t",
        "preamble\r\n--x\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\ns3cr3t\r\n--x--\r\n",
        "--x\r\nContent-Disposition: form-data; name*=UTF-8''password\r\n\r\ns3cr3t\r\n--x--\r\n",
    ]) func masksTheValueThatANameSelects(text: String) {
        #expect(!String(decoding: SecretMask.standard.body(Data(text.utf8)), as: UTF8.self).contains("s3cr3t"))
    }

    @Test func leavesAPathReadable() {
        let text = #"{"path":"/users/1/name","value":"Ada"}"#
        #expect(String(decoding: SecretMask.standard.body(Data(text.utf8)), as: UTF8.self) == text)
    }
}
