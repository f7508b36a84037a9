import Foundation
import MoyaTransport
import Testing

/// The one mask of all printed text; in each case the secret is `s3cr3t`.
@Suite struct SecretMaskTests {
    private let mask = SecretMask.standard

    private func body(_ text: String) -> String { String(decoding: mask.body(Data(text.utf8)), as: UTF8.self) }

    // MARK: URLs

    @Test(arguments: [
        ("https://example.com/a@b", "https://example.com/a@b"),
        ("https://u@example.com", "https://<masked>@example.com"),
        ("https://u:p@example.com/", "https://<masked>@example.com/"),
        ("https://u:p@q@example.com/", "https://<masked>@example.com/"),
        ("https://u:p@\u{301}example.com/", "https://<masked>@\u{301}example.com/"),
        ("https://example.com?a=//b@c", "https://example.com?a=//b@c"),
        ("//u:p@example.com", "//<masked>@example.com"), ("mailto:a@b", "mailto:a@b"), ("", ""),
        ("/cb?code=s3cr3t&page=2", "/cb?code=<masked>&page=2"),
        ("/cb?token=s3cr3t 'more\"#page=2", "/cb?token=<masked>#page=2"),
        ("/#/cb?access_token=s3cr3t&page=2", "/#/cb?access_token=<masked>&page=2"),
        ("/a;jsessionid=s3cr3t?page=2", "/a;jsessionid=<masked>?page=2"),
        ("/?%74oken=s3cr3t", "/?%74oken=<masked>"),
        ("/?next=https%3A%2F%2Fa%2F%3Fcode%3Ds3cr3t&page=2", "/?next=<masked>&page=2"),
        ("/?next=https%253A%252F%252Fa%252F%253Fcode%253Ds3cr3t", "/?next=<masked>"),
        ("/?json=%7B%22password%22%3A%22s3cr3t%22%7D", "/?json=<masked>"),
        ("/?next=https%3A%2F%2Fa%2F%3Fpage%3D3", "/?next=https%3A%2F%2Fa%2F%3Fpage%3D3"),
        ("https://example.com:8080/a@b", "https://example.com:8080/a@b"),
        ("https://[::1]/a@b", "https://[::1]/a@b"), ("https://[::1]:80/a@b", "https://[::1]:80/a@b"),
        ("https://u:p@a/b@c", "https://<masked>@a/b@c"), ("https://u@[::1]:80/a@b", "https://<masked>@[::1]:80/a@b"),
        ("https://a/b:c@d", "https://a/b:c@d"),
    ]) func masksURLs(url: String, expected: String) {
        #expect(mask.url(url) == expected)
    }

    /// A parser ends the authority within such a password.
    @Test(arguments: ["#", "/", "?", "\\", "/?#", "1/", "@/", "123456#"])
    func masksAPasswordThatBreaksItsURL(sign: String) {
        let url = "http://user:pa\(sign)s3cr3t@host/"
        #expect(mask.url(url) == "http://<masked>@host/")
        #expect(mask.text("bad URL: \(url), sorry") == "bad URL: http://<masked>@host/, sorry")
        #expect(mask.value(url, ofField: "Location") == "http://<masked>@host/")
        #expect(!mask.text(#"{"next":"http://user:pa\#(sign)s3cr3t@host/"}"#).contains("s3cr3t"))
    }

    @Test(arguments: ["'", "&"]) func masksAPasswordThatBreaksItsURLInText(sign: String) {
        #expect(mask.text("bad URL: http://user:pa\(sign)s3cr3t@host/") == "bad URL: http://<masked>@host/")
    }

    // MARK: Header fields

    @Test(arguments: [
        ("Location", "/cb?code=s3cr3t x&page=2", "/cb?code=<masked>&page=2"),
        ("Content-Location", "https://u:s3cr3t@a/b", "https://<masked>@a/b"),
        ("Referer", "https://a/?state=s3cr3t", "https://a/?state=<masked>"),
        ("Link", "<https://a/?token=s3cr3t&page=2>; rel=\"next\"", "<https://a/?token=<masked>&page=2>; rel=\"next\""),
        ("Refresh", "5; url=/cb?code=s3cr3t&page=2", "5; url=/cb?code=<masked>&page=2"),
        ("X-Context", #"{"token":"s3cr3t"}"#, #"{"token":"<masked>"}"#),
        ("Set-Cookie", "id=s3cr3t; Path=/", "<masked>"), ("Authorization", "", ""),
        ("Date", "Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT"),
        ("Content-Type", "text/html; charset=utf-8", "text/html; charset=utf-8"),
    ]) func masksValuesOfHeaderFields(name: String, value: String, expected: String) {
        #expect(mask.value(value, ofField: name) == expected)
    }

    // MARK: Bodies

    @Test(arguments: [
        (#"{"pin":1234,"page":2}"#, #"{"pin":"<masked>","page":2}"#),
        (#"{"password" : null, "session": {"id":"s3cr3t"}}"#, #"{"password" : null, "session": "<masked>"}"#),
        (#"{"pass\u0077ord":"s3cr3t"}"#, #"{"pass\u0077ord":"<masked>"}"#),
        (
            #"[{"name":"password","value":"s3cr3t"},{"name":"page","value":2}]"#,
            #"[{"name":"password","value":"<masked>"},{"name":"page","value":2}]"#
        ),
        (#"{"value":"s3cr3t","Name":"Authorization"}"#, #"{"value":"<masked>","Name":"Authorization"}"#),
        (#"{"value":{"a":["s3cr3t"]},"name":"otp"}"#, #"{"value":"<masked>","name":"otp"}"#),
        (#"{"field":"pwd","content":["s3cr3t"]}"#, #"{"field":"pwd","content":"<masked>"}"#),
        (#"{"type":"password","value":"s3cr3t"}"#, #"{"type":"password","value":"<masked>"}"#),
        (
            #"{"name":"password","type":"text","value":"s3cr3t"}"#,
            #"{"name":"password","type":"text","value":"<masked>"}"#
        ),
        (#"{"type":"text","text":"hello"}"#, #"{"type":"text","text":"hello"}"#),
        (#"{"type":"state","data":{"temp":21}}"#, #"{"type":"state","data":{"temp":21}}"#),
        (#"{"type":"session.updated","data":{"a":1}}"#, #"{"type":"session.updated","data":{"a":1}}"#),
        (#"{"type":"code","text":"hello"}"#, #"{"type":"code","text":"hello"}"#),
        (#"{"timeCode":"01:02"}"#, #"{"timeCode":"01:02"}"#),
        (#"{"onetimecode":"s3cr3t"}"#, #"{"onetimecode":"<masked>"}"#),
        (
            #"{"oobCode":"s3cr3t","verifyCode":1,"oneTimeCode":2}"#,
            #"{"oobCode":"<masked>","verifyCode":"<masked>","oneTimeCode":"<masked>"}"#
        ),
        ("\u{FEFF}{\"token\":\"s3cr3t\"}", "\u{FEFF}{\"token\":\"<masked>\"}"),
        (")]}'\n{\"token\":\"s3cr3t\"}", ")]}'\n{\"token\":\"<masked>\"}"),
        ("while(1);[{\"token\":\"s3cr3t\"}]", "while(1);[{\"token\":\"<masked>\"}]"),
        ("/**/cb({\"token\":\"s3cr3t\"});", "/**/cb({\"token\":\"<masked>\"});"),
        ("{\"a\":1}\n{\"token\":\"s3cr3t\"}\n", "{\"a\":1}\n{\"token\":\"<masked>\"}\n"),
        (#"{"log":"{\"token\":\"s3cr3t\",\"page\":2}"}"#, #"{"log":"{\"token\":\"<masked>\",\"page\":2}"}"#),
        (
            #"{"a":"{\"b\":\"{\\\"token\\\":\\\"s3cr3t\\\"}\"}"}"#,
            #"{"a":"{\"b\":\"{\\\"token\\\":\\\"<masked>\\\"}\"}"}"#
        ),
        (
            #"{"query":"mutation { login(user: \"me\", password: \"s3cr3t\") }"}"#,
            #"{"query":"mutation { login(user: \"me\", password: \"<masked>\") }"}"#
        ),
        (#"{"next":"https:\/\/a\/?code=s3cr3t"}"#, #"{"next":"https://a/?code=<masked>"}"#),
        (#"{"next":"https://u:s3cr3t@a/?page=2"}"#, #"{"next":"https://<masked>@a/?page=2"}"#),
        (#"{"body":"user=me&password=s3cr3t"}"#, #"{"body":"user=me&password=<masked>"}"#),
        (#"{"token":"s3cr3t"#, #"{"token":"<masked>""#),
        (#"{"time":"2020-01-01T10:00:00Z","statusCode":3}"#, #"{"time":"2020-01-01T10:00:00Z","statusCode":3}"#),
        ("user=me&password=s3cr3t <\"'&page=2", "user=me&password=<masked>&page=2"),
        ("A=1\nPASSWORD=s3cr3t\nB=2", "A=1\nPASSWORD=<masked>\nB=2"),
        ("user%5Bpin%5D=s3cr3t", "user%5Bpin%5D=<masked>"),
        (
            "--b\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\ns3cr3t\r\n--b\r\n"
                + "Content-Disposition: form-data; name=\"page\"\r\n\r\n2\r\n--b--\r\n",
            "--b\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\n<masked>\r\n--b\r\n"
                + "Content-Disposition: form-data; name=\"page\"\r\n\r\n2\r\n--b--\r\n"
        ),
        (
            "--b\nContent-Disposition: form-data; name=json\n\n{\"pin\":1}\n--b--",
            "--b\nContent-Disposition: form-data; name=json\n\n{\"pin\":\"<masked>\"}\n--b--"
        ),
        (
            "<a><wsse:Password Type=\"x\">s3cr3t</wsse:Password><b>2</b></a>",
            "<a><wsse:Password <masked>><masked></wsse:Password><b>2</b></a>"
        ),
        ("<a token=\"s3cr3t\" b=\"2\"/>", "<a token=\"<masked>\" b=\"2\"/>"),
        ("<a pin=\"x\\\" token=\"s3cr3t\"/>\n<b/>", "<a pin=\"<masked>>\n<b/>"),
        ("<a pin=\"x\\\"/><b token=\"s3cr3t\"/>", "<a pin=\"<masked>>"),
        ("<token value=\"s3cr3t\"/><b/>", "<token <masked>/><b/>"),
        ("<tokené b=\"s3cr3t\"/><b/>", "<token<masked>/><b/>"), ("<token/><b/>", "<token/><b/>"),
        ("<p>the <code>state</code> of 1 < 2</p>", "<p>the <code>state</code> of 1 < 2</p>"),
        ("", ""), ("cool body", "cool body"),
    ]) func masksBodies(text: String, expected: String) {
        #expect(body(text) == expected)
    }

    @Test(arguments: [String.Encoding.utf16LittleEndian, .utf16BigEndian, .utf16, .utf32LittleEndian, .utf32BigEndian])
    func masksJSONInWideEncodings(encoding: String.Encoding) throws {
        let data = try #require(#"{"token":"s3cr3t","a":1}"#.data(using: encoding))
        #expect(String(decoding: mask.body(data), as: UTF8.self) == #"{"token":"<masked>","a":1}"#)
    }

    // MARK: Text

    @Test(arguments: [
        (
            "Code=-1001 \"x\" UserInfo={NSErrorFailingURLKey=https://a/?token=s3cr3t, b=2}",
            "Code=-1001 \"x\" UserInfo={NSErrorFailingURLKey=https://a/?token=<masked> b=2}"
        ),
        (
            "GET / HTTP/1.1\r\nAuthorization: Bearer s3cr3t\r\nAccept: */*",
            "GET / HTTP/1.1\r\nAuthorization: <masked>\r\nAccept: */*"
        ),
        ("curl -H 'X-Api-Key: s3cr3t' -d 'a'", "curl -H 'X-Api-Key: <masked>' -d 'a'"),
        ("sent Authorization: Basic s3cr3t", "sent Authorization: <masked>"),
        ("Authorization: DPoP s3cr3t\nDPoP: s3cr3t\nA: b", "Authorization: <masked>\nDPoP: <masked>\nA: b"),
        ("curl -H 'DPoP: s3cr3t' -d 'a'", "curl -H 'DPoP: <masked>' -d 'a'"),
        ("[('Authorization', 'Bearer s3cr3t'), ('a', 'b')]", "[('Authorization', '<masked>'), ('a', 'b')]"),
        ("('token', \"s3'cr3t\")", "('token', \"<masked>\")"),
        ("('password', 's3\\'cr3t')", "('password', '<masked>')"),
        ("(\n    u'password',\n    u's3cr3t',\n)", "(\n    u'password',\n    u'<masked>',\n)"),
        ("[ ( 'password' , 's3cr3t' ) ]", "[ ( 'password' , '<masked>' ) ]"),
        ("translate('code', 'fr'), it isn't ('key', 'v')", "translate('code', 'fr'), it isn't ('key', 'v')"),
        ("[['password', 's3cr3t'], ['a', 'b']]", "[['password', '<masked>'], ['a', 'b']]"),
        ("[(b'authorization', b'Bearer s3cr3t')]", "[(b'authorization', b'<masked>')]"),
        ("('password', 's3cr3t", "('password', '<masked>"), ("['token', 'user']", "['token', 'user']"),
        (#"["Authorization": "Bearer s3cr3t", "Accept": "a"]"#, #"["Authorization": "<masked>", "Accept": "a"]"#),
        (#"login(user: "me", password: "s3cr3t")"#, #"login(user: "me", password: "<masked>")"#),
        (#"invalid("{\"token\":\"s3cr3t\"}")"#, #"invalid("{\"token\":\"<masked>\"}")"#),
        (#"{\"token\":\"s3cr3t\",\"a\":1}"#, #"{\"token\":\"<masked>\",\"a\":1}"#),
        ("SessionError.sessionTaskFailed: It failed.", "SessionError.sessionTaskFailed: It failed."),
        ("password = s3cr3t", "password = <masked>"), ("State: idle, Code: 5", "State: idle, Code: 5"),
        ("https://a b?c=d&e=(f)", "https://a b?c=d&e=(f)"),
        ("https://a:80/b or https://c:81, me@d", "https://a:80/b or https://c:81, me@d"),
        ("authentication: digest: missing", "authentication: digest: missing"),
        ("X-Team-Key: s3cr3t", "X-Team-Key: <masked>"),
    ]) func masksAnyText(text: String, expected: String) {
        #expect(mask.text(text) == expected)
    }

    @Test func callsThePredicateWithNames() {
        let mask = SecretMask { $0 == "mine" }
        #expect(mask.url("/?mine=1&token=2") == "/?mine=<masked>&token=2")
        #expect(
            String(decoding: mask.body(Data(#"{"mine":1,"token":2}"#.utf8)), as: UTF8.self)
                == #"{"mine":"<masked>","token":2}"#)
    }
}
