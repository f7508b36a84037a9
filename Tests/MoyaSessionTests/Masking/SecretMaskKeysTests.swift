import Foundation
import MoyaTransport
import Testing

/// Secrets within keys, within the first of two strings, and after hyphens; in each case the secret is `s3cr3t`.
@Suite struct SecretMaskKeysTests {
    private func body(_ text: String) -> String {
        String(decoding: SecretMask.standard.body(Data(text.utf8)), as: UTF8.self)
    }

    // MARK: Pairs and keys

    @Test(arguments: [
        #"[["https://a.test/f?token=s3cr3t","Title"]]"#,
        #"{"rows":[["https://u:s3cr3t@token.test/","Title"],["x","y"]]}"#,
        #"[["{\"password\":\"s3cr3t\"}","x"]]"#, #"[["Authorization: Bearer s3cr3t","200 OK"]]"#,
        #"connect("postgres://u:s3cr3t@h/?password=x", "rw")"#, "open('https://a.test/?token=s3cr3t', 'r')",
        #"Link(name: "https://a.test/?token=s3cr3t", value: "next")"#,
        #"<param name="https://a.test/?token=s3cr3t" value="2"/>"#,
        #"<param href="https://a.test/?token=s3cr3t" name="token"><value>2</value></param>"#,
        "<key>https://a.test/?token=s3cr3t</key><string>2</string>",
    ]) func masksTheFirstOfTwoStrings(text: String) {
        #expect(!body(text).contains("s3cr3t"), "\(body(text))")
    }

    @Test(arguments: [
        #"{"https://a.test/f?token=s3cr3t":{"size":1}}"#, #"{"https://bob:s3cr3t@h/":1}"#,
        #"{"{\"password\":\"s3cr3t\"}":""}"#, #"{"a=1&token=s3cr3t":1}"#, #"{"Authorization: Bearer s3cr3t":"x"}"#,
        #"{"a":{"https:\/\/bob:s3cr3t@h\/":[1]}}"#, #"["https://bob:s3cr3t@h/": 1]"#,
    ]) func masksTheKeysOfObjects(text: String) {
        #expect(!body(text).contains("s3cr3t"), "\(body(text))")
    }

    @Test(arguments: [
        #"[["https://a.test/f?page=2","Title"]]"#, #"{"https://a.test/f?page=2":{"size":1}}"#, #"{"dc:title":"x"}"#,
        #"{"10:30":"a","x=1&y=2":"b"}"#, #"<param href="/?page=2" name="page"><value>2</value></param>"#,
    ]) func leavesOtherKeysReadable(text: String) {
        #expect(body(text) == text)
    }

    // MARK: Hyphens

    @Test(arguments: [
        "---\nprivate_key: |\n  -----BEGIN\n  s3cr3t\nb: 1", "---\ntokens:\n  - s3cr3t\n",
        "---\ncredentials:\n  user: s3cr3t\n", "--> POST /x\n{\"credentials\": {\n\"a\": \"s3cr3t\"}}\n",
        "-- x\n<password>\ns3cr3t\n</password>", "--- request\nCookie: a=b;\n c=s3cr3t",
        "--- env ---\nPRIVATE_KEY=\"a\ns3cr3t\n\"\n", "a\n--\n{\"token\":\n\"s3cr3t\"}",
    ]) func masksSecretsOfSeveralLinesAfterHyphens(text: String) {
        #expect(!body(text).contains("s3cr3t"), "\(body(text))")
    }

    @Test(arguments: [
        "--b\r\nContent-Disposition: form-data; name=\"a\"\r\nX-Api-Key: abc\r\n s3cr3t\r\n\r\nx\r\n--b--\r\n",
        "--b\r\nX-Page: 2\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\ns3cr3t\r\n--b--\r\n",
        "--> POST /x\nHost: a\n\n--b\nContent-Disposition: form-data; name=password\n\ns3cr3t\n--b--",
        "--> POST /x\nContent-Length: 9\n\n--b\nContent-Disposition: form-data; name=password\n\ns3cr3t\n--b--",
        "---\ncontent-type: x\n\n--b\nContent-Disposition: form-data;\n name=password\n\ns3cr3t\n--b--",
    ]) func masksThePartsOfForms(text: String) {
        #expect(!body(text).contains("s3cr3t"), "\(body(text))")
    }
}
