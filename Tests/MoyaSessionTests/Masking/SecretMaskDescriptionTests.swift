import Foundation
import MoyaTransport
import Testing

/// Secrets in descriptions of values, lists and markup; in each case the secret is `s3cr3t`.
@Suite struct SecretMaskDescriptionTests {
    private let mask = SecretMask.standard

    // MARK: Foundation and other languages

    @Test(arguments: [
        #"{ "X-Auth-Token" = s3cr3t; }"#, "\"X-Api-Key\" = two s3cr3t;\nAccept = \"*/*\"", #""X-Api-Key"="s3cr3t""#,
        "[Authorization] => Bearer s3cr3t", "[HTTP_COOKIE] => sid=1; b=s3cr3t",
        "{authorization=Bearer s3cr3t, accept=x}",
        "HTTP_AUTHORIZATION=Bearer s3cr3t", "Authorization = Bearer s3cr3t;",
    ])
    func masksCredentialsAfterAnEqualsSign(text: String) {
        #expect(!mask.text(text).contains("s3cr3t"), "\(mask.text(text))")
    }

    @Test(arguments: [
        #"payload={"text":"a & b","token":"s3cr3t"}"#, #"a=b&c\#n{"token":"s3cr3t"}"#,
        "xml=<r><a>R&amp;D</a><password>s3cr3t</password></r>", "a=1&b\nAuthorization: Bearer s3cr3t",
        #"window.__STATE__={"next":"https://h/?a=1&b=2","token":"s3cr3t"}"#,
    ])
    func masksTextThatBeginsLikeAForm(text: String) {
        let shown = String(decoding: mask.body(Data(text.utf8)), as: UTF8.self)
        #expect(!shown.contains("s3cr3t"), "\(shown)")
    }

    @Test(arguments: [
        "https://proxy/https://u:s3cr3t@h/x", "https://proxy/?https://u:s3cr3t@h/",
        #"https://h/x?a&{"token":"s3cr3t"}"#,
        "https://proxy/?https%3A%2F%2Fh%2F%3Ftoken%3Ds3cr3t",
    ])
    func masksAURLWithinAURL(url: String) {
        #expect(!mask.url(url).contains("s3cr3t"), "\(mask.url(url))")
    }

    @Test(arguments: [#"{ "keyboard" = us; }"#, "monkey=see do", "https://h/a;b=c/d?e&f=g#h", "https://h:80/a:b/c@d"])
    func leavesOrdinaryPairsReadable(text: String) {
        #expect(mask.text(text) == text)
        #expect(mask.url(text) == text)
    }

    // MARK: Swift

    private struct Token {
        var value = "s3cr3t, a)b]"
        var scopes = ["x", "s3cr3t"]
    }

    private struct LoginError: Error {
        var user = "bob"
        var password: String? = "s3cr3t \"(, s3cr3t"
        var pin = 1234
        var token = Token()
        var otp: String?
        var keyboard = 5
    }

    @Test func masksTheMembersOfAnyValue() {
        let expected =
            #"LoginError(user: "bob", password: <masked>, pin: <masked>, token: <masked>, otp: nil, keyboard: 5)"#
        #expect(mask.text(describing: LoginError()).hasSuffix(expected))
    }

    /// Descriptions become strings within descriptions and JSON.
    @Test(arguments: 1...4) func masksMembersInEscapedDescriptions(level: Int) {
        var text = String(reflecting: LoginError())
        for _ in 0..<level { text = String(reflecting: text) }
        let shown = mask.text("It failed: \(text)")
        #expect(!shown.contains("s3cr3t") && !shown.contains("1234"), "\(shown)")
        #expect(shown.contains("keyboard: 5"), "\(shown)")
    }

    @Test(arguments: [
        ("Card(pin: 1234)", "Card(pin: <masked>)"), ("{pin: 1234}", "{pin: <masked>}"),
        ("It failed: { otp : 1, pin: 1234 , page: 2 }", "It failed: { otp : <masked>, pin: <masked> , page: 2 }"),
        ("[pin: 1234, page: 2]", "[pin: <masked>, page: 2]"),
        ("Card(\n  pin: 1234\n)", "Card(\n  pin: <masked>\n)"),
        (#"A(token: B(c: ["s3cr3t", "d"]), page: 2)"#, "A(token: <masked>, page: 2)"),
        (#"A(token: B(c: "s3cr3t)", "#, "A(token: <masked> "),
        (#"A(token: \"s3)cr3t\", page: 2)"#, "A(token: <masked>, page: 2)"),
        (#"["token": Optional("s3cr3t"), "page": 2]"#, #"["token": "<masked>", "page": 2]"#),
        (#"["token": B(c: "s3cr3t", d: "s3cr3t"), "page": 2]"#, #"["token": "<masked>", "page": 2]"#),
        (#"["token": nil, "page": 2]"#, #"["token": nil, "page": 2]"#),
        (#"token=Optional("s3cr3t") page=2"#, "token=<masked> page=2"),
        (#"token = B(c: "s3cr3t", d: 2) page = 2"#, "token = <masked> page = 2"),
        (#"https://a/?token=Optional("s3cr3t")&page=2"#, "https://a/?token=<masked>&page=2"),
        ("{token = (\n s3cr3t,\n s3cr3t\n); page = 2}", "{token = <masked> page = 2}"),
        ("GET https://a/?password=s3cr3t(&page=2 HTTP/1.1", "GET https://a/?password=<masked>&page=2 HTTP/1.1"),
    ]) func masksDescriptions(text: String, expected: String) {
        #expect(mask.text(text) == expected)
    }

    private struct Field {
        var name = "Authorization"
        var value = "Bearer s3cr3t"
    }

    @Test func masksTheValueOfANamedMember() {
        #expect(mask.text(describing: Field()).hasSuffix(#"Field(name: "Authorization", value: "<masked>")"#))
        #expect(mask.text(describing: Field(name: "Accept", value: "a/b")).hasSuffix(#""Accept", value: "a/b")"#))
    }

    @Test(arguments: [
        (
            #"[(key: "password", value: Optional("s3cr3t")), (key: "a", value: "b")]"#,
            #"[(key: "password", value: <masked>), (key: "a", value: "b")]"#
        ),
        ("{'name': 'password', 'value': 's3cr3t', 'page': 2}", "{'name': 'password', 'value': '<masked>', 'page': 2}"),
        (#"{name: "pin", value: 1234}"#, #"{name: "pin", value: <masked>}"#),
        (#"A(name: "password", value: nil, page: 2)"#, #"A(name: "password", value: nil, page: 2)"#),
        (#"A(name: "password", page: 2)"#, #"A(name: "password", page: 2)"#),
        (#"A(name: "password","#, #"A(name: "password","#),
        (#"A(name: "password", value"#, #"A(name: "password", value"#),
        (#"A(name: "password", value:"#, #"A(name: "password", value:"#), (#"A(name: ""#, #"A(name: ""#),
    ]) func masksNamedMembers(text: String, expected: String) {
        #expect(mask.text(text) == expected)
    }

    @Test func masksTheMembersOfAnUntypedDictionary() {
        let fields: [AnyHashable: Any] = ["Authorization": "Bearer s3cr3t"]
        #expect(mask.text(describing: fields) == #"[AnyHashable("Authorization"): "<masked>"]"#)
        #expect(mask.text("#(\"password\"): x") == "#(\"password\"): x")
    }

    // MARK: Lines and arrows

    @Test(arguments: [
        (#""password" => "s3cr3t", "page" => 2"#, #""password" => "<masked>", "page" => 2"#),
        ("    [password] => s3cr3t of words\n    [page] => 2", "    [password] => <masked>\n    [page] => 2"),
        ("    [password] => s3cr3t\n    [page] => 2", "    [password] => <masked>\n    [page] => 2"),
        ("{:password=>\"s3cr3t\"}", "{:password=>\"<masked>\"}"), ("x => y", "x => y"),
    ]) func masksValuesAfterArrows(text: String, expected: String) {
        #expect(mask.text(text) == expected)
    }

    @Test(arguments: [
        ("Authorization: Basic\r\n s3cr3t\r\nHost: a", "Authorization: <masked>\r\nHost: a"),
        ("a:\n  token: >-\n    s3cr3t\n    s3cr3t\n  page: 2", "a:\n  token: <masked>\n  page: 2"),
        ("- password: x\n  page: 2", "- password: <masked>\n  page: 2"),
        ("password: x\n\n  page: 2", "password: <masked>\n\n  page: 2"), ("password: x\n ", "password: <masked>\n "),
    ]) func masksContinuedLines(text: String, expected: String) {
        #expect(mask.text(text) == expected)
    }

    @Test func masksALineThatOnlyLooksLikeABoundary() {
        let shown = mask.body(Data("--token=s3cr3t\na=b".utf8))
        #expect(String(decoding: shown, as: UTF8.self) == "--token=<masked>\na=b")
    }

    @Test(arguments: [
        "Row(keyboard: 5, author: x, id: Optional(3))", "Row(password: nil, token: null)",
        "A note (see: page 3, or: 4)",
        "Missing values: author, page: 2", "{id: 5, spinner: {a: 1}}", "the 'keyboard': 5",
        "<key>page</key><string>2</string>",
        "<param name=\"page\" value=\"2\"/>", "<p id=\"password\">Choose one.</p>", "- page: 2\n- author: x",
        "a < b it's (c > d)", "<input name=\"page\"><p>Hello</p>",
        "<input type=\"text\" value=\"2\">", "<event type=\"state\" value=\"on\">x</event>",
        "<option type=code value=2>",
    ]) func leavesHarmlessDescriptionsReadable(text: String) {
        #expect(mask.text(text) == text)
    }

    // MARK: Generic types

    private struct Failure<Kind>: Error {
        var code = 7
        var reason = "offline"
    }

    @Test func leavesAnErrorOfAGenericTypeReadable() {
        let text = String(reflecting: Failure<Token>())
        #expect(text.contains("Token>(code: 7"))
        #expect(mask.text(describing: Failure<Token>()) == text)
    }

    @Test(
        arguments: [
            "Failure<App.Token>(code: 7, reason: \"offline\")", "Result<Token, SessionError>.failure(offline)",
            "no Array<Array<Token>> found: offline", "Optional<Token?>(offline)", "[Box<Session>]", "a Box<Session>",
            "Failure<App.Session.(unknown context at $1).Token>(code: 7)",
            "Box<Session>? or Box<Session>!", "Box<Session>, offline", "Box<Session>: offline", "Box<Session>.Type",
        ], [SecretMask.standard, SecretMask { $0.hasSuffix("Token") || $0 == "Session" }])
    func leavesGenericTypesReadable(text: String, mask: SecretMask) {
        #expect(mask.text(text) == text)
    }

    @Test(arguments: [
        ("a<Token>s3cr3t", "a<Token><masked>"), ("a<Token>\ns3cr3t", "a<Token><masked>"),
        (" <Token> s3cr3t", " <Token><masked>"), ("<a><Token>(s3cr3t)", "<a><Token><masked>"),
        ("a<Token id=\"s3cr3t\">", "a<Token <masked>>"),
    ]) func masksElementsThatAreCutOff(text: String, expected: String) {
        #expect(mask.text(text) == expected)
    }

    // MARK: Pairs

    @Test(arguments: [
        (#"[("password", "s3cr3t"), ("page", "2")]"#, #"[("password", "<masked>"), ("page", "2")]"#),
        (#"[["Authorization","s3cr3t"],["Accept","a/b"]]"#, #"[["Authorization","<masked>"],["Accept","a/b"]]"#),
        (
            "[\n  [\n    \"pass\\u0077ord\",\n    \"s3\\\"cr3t\"\n  ],\n  [\n    \"a\",\n    \"b\"\n  ]\n]",
            "[\n  [\n    \"pass\\u0077ord\",\n    \"<masked>\"\n  ],\n  [\n    \"a\",\n    \"b\"\n  ]\n]"
        ),
        (#"{"required":["password","email"]}"#, #"{"required":["password","email"]}"#),
        (#"[["password","email","page"],["a"]]"#, #"[["password","email","page"],["a"]]"#),
        (#"["password","email"]"#, #"["password","email"]"#), (#"("password", 2)"#, #"("password", 2)"#),
        (#"[["password","s3cr3t"#, #"[["password","s3cr3t"#), (#"[["password","#, #"[["password","#),
    ]) func masksPairs(text: String, expected: String) {
        #expect(mask.text(text) == expected)
    }

    // MARK: Single quotation marks and lists

    @Test(arguments: [
        ("{'password': 's3cr3t', 'page': 2}", "{'password': '<masked>', 'page': 2}"),
        ("{'password' : b's3,cr3t', 'page': 2}", "{'password' : <masked>, 'page': 2}"),
        ("{'pin': 1234, 'otp': None}", "{'pin': <masked>, 'otp': None}"),
        ("{'user[password]': {'a': 's3}cr3t'}, 'b': 2}", "{'user[password]': <masked>, 'b': 2}"),
        ("'password': s3cr3t", "'password': <masked>"),
        ("- token: s3cr3t\n- page: 2", "- token: <masked>\n- page: 2"),
        ("a:\n  - - token: s3cr3t", "a:\n  - - token: <masked>"), ("* token: s3cr3t", "* token: <masked>"),
        ("> X-Api-Key: s3cr3t\n> Accept: a", "> X-Api-Key: <masked>\n> Accept: a"),
    ]) func masksNamesInSingleQuotesAndLists(text: String, expected: String) {
        #expect(mask.text(text) == expected)
    }

    // MARK: Markup

    @Test(arguments: [
        (#"<param name="password" value="s3cr3t"/><b>2</b>"#, #"<param name="password" value="<masked>"/><b>2</b>"#),
        ("<add value = 's3>cr3t' key = 'ApiKey'/>", "<add value = '<masked>' key = 'ApiKey'/>"),
        (#"<input type="password" value="s3cr3t"><b>2</b>"#, #"<input type="password" value="<masked>"><b>2</b>"#),
        ("<input value='s3cr3t' type=password/>", "<input value='<masked>' type=password/>"),
        (#"<string name="api_key">s3cr3t</string><b>2</b>"#, #"<string name="api_key"><masked></string><b>2</b>"#),
        ("<e key=token><![CDATA[s3cr3t<x>]]></e>", "<e key=token><![CDATA[<masked>]]></e>"),
        (
            #"<param name="password"><value>s3cr3t</value></param><b>2</b>"#,
            #"<param name="password"><value><masked></value></param><b>2</b>"#
        ),
        (
            "<name>password</name>\n<value>s3cr3t</value><b>2</b>",
            "<name>password</name>\n<value><masked></value><b>2</b>"
        ),
        (
            "<key>password</key>\n<string>s3cr3t</string><key>page</key><string>2</string>",
            "<key>password</key>\n<string><masked></string><key>page</key><string>2</string>"
        ),
        (
            "<key>token</key><dict><dict></dict><string>s3cr3t</string></dict><key>b</key><true/>",
            "<key>token</key><dict><masked></dict><key>b</key><true/>"
        ),
        ("<token><token>1</token>s3cr3t</token><b>2</b>", "<token><masked></token><b>2</b>"),
        ("<key>token</key><string>s3cr3t", "<key>token</key><string><masked>"),
    ]) func masksValuesThatMarkupNames(text: String, expected: String) {
        #expect(mask.text(text) == expected)
    }

    @Test func masksTheValueOfAControlWhoseTypeThePredicateSelects() {
        let mask = SecretMask { $0 == "mine" }
        #expect(
            mask.text(#"<input type="mine" value="s3cr3t"><input type="password" value="2">"#)
                == #"<input type="mine" value="<masked>"><input type="password" value="2">"#)
    }
}
