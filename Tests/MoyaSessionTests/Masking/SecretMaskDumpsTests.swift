import Foundation
import MoyaTransport
import Testing

/// Secrets in dumps, settings and commands; in each case the secret is `s3cr3t`.
@Suite struct SecretMaskDumpsTests {
    private let mask = SecretMask.standard

    @Test(arguments: [
        (
            "array(2) {\n  [\"password\"]=>\n  string(6) \"s3cr3t\"\n}",
            "array(2) {\n  [\"password\"]=>\n  string(6) \"<masked>\"\n}"
        ),
        ("[\"pin\"]=>\n  string(7) \"s\"3cr3t\"\n}", "[\"pin\"]=>\n  string(7) \"<masked>\"\n}"),
        ("[\"pin\"]=>\n  int(1234)\n", "[\"pin\"]=>\n  <masked>\n"),
        ("[token:protected] => s3cr3t a\n[b] => 2", "[token:<masked>] => <masked>\n[b] => 2"),
        ("s:8:\"password\";s:6:\"s3cr3t\";s:1:\"a\";", "s:8:\"password\";s:6:\"<masked>\";s:1:\"a\";"),
        ("{User:bob Password:s3cr3t two Token:s3cr3t Page:2}", "{User:bob Password:<masked> Token:<masked> Page:2}"),
        ("[{User:bob Password:s3cr3t}]", "[{User:bob Password:<masked>}]"),
        ("{ [\"password\"] = \"s3cr3t\", a = 1 }", "{ [\"password\"] = \"<masked>\", a = 1 }"),
        ("{ ['password'] = 's3cr3t' }", "{ ['password'] = '<masked>' }"),
        ("[db]\npassword = abc s3cr3t\nport = 2", "[db]\npassword = <masked>\nport = 2"),
        ("password=abc s3cr3t\nport=2", "password=<masked>\nport=2"),
        ("token=abc s3cr3t level=info page=2", "token=<masked> level=info page=2"),
        ("  export API_KEY=abc s3cr3t\n", "  export API_KEY=<masked>\n"),
        ("; password = a s3cr3t\n# pin=a s3cr3t", "; password = <masked>\n# pin=<masked>"),
        ("password : s3cr3t\nPassword   :   s3cr3t", "password : <masked>\nPassword   :   <masked>"),
        ("password: \"a\" \"s3cr3t\"\nb: 2", "password: \"<masked>\" \"<masked>\"\nb: 2"),
        ("password: \"a\"\n  's3cr3t'\n\"b\": 2", "password: \"<masked>\"\n  '<masked>'\n\"b\": 2"),
        ("credentials {\n value: \"s3cr3t\"\n}\nb { c: 2 }", "credentials <masked>\nb { c: 2 }"),
        ("docker login --password s3cr3t --page 2", "docker login --password <masked> --page 2"),
        ("curl --user bob:s3cr3t -u 'bob:s3cr3t' a:b", "curl --user <masked> -u '<masked>' a:b"),
        ("<password><![CDATA[</password>s3cr3t]]></password>a", "<password><masked></password>a"),
        ("<password><!-- </password> -->s3cr3t</password>a", "<password><masked></password>a"),
        ("<x password\n=\n\"s3cr3t\"/>", "<x password\n=\n\"<masked>\"/>"),
    ]) func masksValuesInDumps(text: String, expected: String) {
        #expect(mask.text(text) == expected)
    }

    @Test(arguments: [
        "sent Bearer s3cr3t-0123456789 to a", "Basic czNjcjN0OnMzY3IzdA==", "(bearer s3cr3t.s3cr3t.s3cr3t)",
        #"{"note":"use Bearer s3cr3t-0123456789"}"#, #"{"note":"a\nBearer s3cr3t-0123456789"}"#,
    ]) func masksCredentialsAfterTheirScheme(text: String) {
        for shown in [mask.text(text), String(decoding: mask.body(Data(text.utf8)), as: UTF8.self)] {
            #expect(!shown.contains("s3cr3t") && !shown.contains("czNj"), "\(shown)")
        }
    }

    @Test(arguments: [
        "Bearer token", "The bearer of 1 letter", "Basic authentication-with-words", "Basic 101",
        "Arabic s3cr3t-0123456789",
    ]) func leavesWordsAfterASchemeReadable(text: String) {
        #expect(mask.text(text) == text)
    }

    @Test(arguments: [
        #"{"cmd":"curl --user bob:s3cr3t https://a"}"#, #"{"argv":["curl","-u","bob:s3cr3t","a"]}"#,
        #"{"argv":["x","--password","s3cr3t","a"]}"#, #"{"rawHeaders":["Host","a","Authorization","Bearer s3cr3t"]}"#,
        #"{"rawHeaders":["Cookie","a=s3cr3t","Host","a"]}"#, #"{"dump":"s:8:\"password\";s:6:\"s3cr3t\";"}"#,
        #"{"dump":"[\"password\"]=>\n  string(6) \"s3cr3t\""}"#, #"{"value":"--my-pass-s3cr3t","name":"otp"}"#,
    ]) func masksValuesOfCommandsAndListsInJSON(text: String) {
        let shown = String(decoding: mask.body(Data(text.utf8)), as: UTF8.self)
        #expect(!shown.contains("s3cr3t"), "\(shown)")
    }

    @Test(arguments: [
        "password\n====\nChoose one.", "docker run --page 2 -u 1000 --token --x", "session {\n  id\n  name\n}",
        "{User:bob At:10:30:00 Page:2}", "s:4:\"page\";s:1:\"a\";", "a[0] = 2", "page = a b",
        "[\"page\"]=>\n  string(1) \"a\"",
        #"["Authorization","Content-Type"]"#, "a - b -- c", "-u", "--user", "name: \"a\" \"b\"", "x: 1 {\n  a: b\n}",
    ]) func leavesOtherDumpsReadable(text: String) {
        #expect(mask.text(text) == text)
    }

    @Test(
        .timeLimit(.minutes(1)),
        arguments: [
            "token=a ", "token=a\n", "[\"pin\"]=>\n", "s:3:\"pin\";s:9:\"", "{Pin:a ", "pin: \"a\" \"b\" ",
            "pin: 'a' \"b\":",
            "pin {\na:", "--pin a ", "--pin ", "-u a:", "<pin><![CDATA[", "<pin><!--", "[[[\"]=>",
        ])
    func readsManyDumpsABoundedNumberOfTimes(piece: String) {
        #expect(!mask.text(String(repeating: piece, count: (1 << 18) / piece.utf8.count)).isEmpty)
    }
}
