import Foundation
import MoyaSession
import Testing

@Suite struct CURLDescriptionTests {
    private func text(
        method: String? = "GET", url: String = "https://example.com/a?b=c", headers: HTTPHeaders = [:],
        body: String? = nil, credential: (user: String, password: String)? = nil, cookies: String? = nil,
        showsSecrets: Bool = false
    ) -> String {
        CURLDescription.text(
            method: method, url: URL(string: url), headers: headers, body: body.map { Data($0.utf8) },
            credential: credential, cookies: cookies, showsSecrets: showsSecrets)
    }

    @Test func plainRequestIsThreeLines() {
        #expect(text() == "$ curl -v \\\n\t-X GET \\\n\t\"https://example.com/a?b=c\"")
    }

    @Test func everyOptionHasItsPlace() {
        let text = text(
            method: "POST", headers: ["Accept": "a/b", "Cookie": "c=d"], body: "x=y",
            credential: (user: "user", password: "password"), cookies: "n=v;n2=v2", showsSecrets: true)
        #expect(
            text.components(separatedBy: " \\\n\t") == [
                "$ curl -v", "-X POST", "-u user:password", "-b \"n=v;n2=v2; c=d\"", "-H \"Accept: a/b\"", "-d \"x=y\"",
                "\"https://example.com/a?b=c\"",
            ])
    }

    @Test func requestThatCannotBeSentIsOneFixedLine() {
        #expect(text(method: nil) == "$ curl command could not be created")
        #expect(text(url: "/relative") == CURLDescription.unavailable)
        #expect(
            CURLDescription.text(method: "GET", url: nil, headers: [:], body: nil) == CURLDescription.unavailable)
    }

    @Test func secretsAreMasked() {
        let text = text(
            url: "https://user:pass@example.com/",
            headers: [
                "authorization": "Bearer s3cret", "COOKIE": "s3cret", "Proxy-Authorization": "s3cret", "X-A": "1",
            ],
            credential: (user: "user", password: "s3cret"), cookies: "a=s3cret")
        #expect(
            text.components(separatedBy: " \\\n\t") == [
                "$ curl -v", "-X GET", "-u \"<masked>\"", "-b \"<masked>\"", "-H \"authorization: <masked>\"",
                "-H \"Proxy-Authorization: <masked>\"", "-H \"X-A: 1\"", "\"https://<masked>@example.com/\"",
            ])
    }

    @Test func showsSecretsOnRequest() {
        let text = text(
            url: "https://user:pass@example.com/", headers: ["Authorization": "Bearer t"], showsSecrets: true)
        #expect(text.contains("-H \"Authorization: Bearer t\""))
        #expect(text.hasSuffix("\"https://user:pass@example.com/\""))
    }

    static let bodies: [(String, String)] = [
        (#"{"a":"b"}"#, #"-d "{\"a\":\"b\"}""#),
        (#"{"a":"\"b\""}"#, #"-d "{\"a\":\"\\\"b\\\"\"}""#),
        ("$(rm -rf /) `id` $HOME", #"-d "\$(rm -rf /) \`id\` \$HOME""#),
        ("Hi!", #"-d "Hi"'!'"""#),
        ("a\nb", "-d \"a\nb\""),
        ("a\r\nb", "-d \"a\r\nb\""),
        ("@/etc/passwd", "--data-raw \"@/etc/passwd\""),
        ("a\0b", "-d \"<3 bytes that are not text>\""),
    ]

    @Test(arguments: bodies) func bodyIsSafeToPaste(body: String, option: String) {
        #expect(text(method: "POST", body: body).contains(" \\\n\t\(option) \\\n\t"))
    }

    @Test func bodyThatIsNoTextIsCounted() {
        let text = CURLDescription.text(
            method: "POST", url: URL(string: "https://example.com"), headers: [:], body: Data([0xFF, 0xFE]))
        #expect(text.contains("-d \"<2 bytes that are not text>\""))
    }

    @Test func emptyBodyIsLeftOut() {
        #expect(!text(method: "POST", body: "").contains("-d"))
    }

    @Test func valuesAreSafeToPaste() {
        let text = text(
            method: "GET;id", url: "https://example.com/$(id)!", headers: ["X": "\"`id`\\"],
            credential: (user: "a b", password: "$c"), showsSecrets: true)
        #expect(
            text.components(separatedBy: " \\\n\t") == [
                "$ curl -v", "-X \"GET;id\"", "-u \"a b:\\$c\"", #"-H "X: \"\`id\`\\""#,
                #""https://example.com/\$(id)"'!'"""#,
            ])
    }

    @Test func emptyHeaderIsSentEmpty() {
        #expect(text(headers: ["X-Empty": ""]).contains("-H \"X-Empty;\""))
    }

    #if os(Linux) || os(macOS)
    @Test func shellReadsBackTheWrittenCommand() throws {
        let secret = "a\"b\\c$d`e!f'g\\\"h\ni\\\nj é*?~#&;|<>(){}[]"
        let command = text(method: "POST", body: secret).dropFirst(2)
        let shell = try ShellCommand("curl() { printf '%s' \"$5\"; }; \(command)")
        #expect(shell.output == secret)
    }
    #endif
}
