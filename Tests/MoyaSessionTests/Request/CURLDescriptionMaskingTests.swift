import Foundation
import MoyaSession
import MoyaTransport
import Testing

/// Curl commands that are masked and stay safe to paste; in each case the secret is `s3cr3t`.
@Suite struct CURLDescriptionMaskingTests {
    private static let masks = [SecretMask.standard, SecretMask { $0 == "token" }]
    private static let body = "{\"token\":\"s3cr3t\",\"note\":\"$(id -un) `id` \\\\ !\"}\n$HOME"

    private func command(_ mask: SecretMask) -> String {
        CURLDescription.text(
            method: "POST", url: URL(string: "https://example.com/?$filter=a&token=s3cr3t"),
            headers: ["X-Note": "\"$(id)\\"], body: Data(Self.body.utf8), mask: mask)
    }

    @Test func usesTheGivenMask() {
        let text = command(SecretMask { $0 == "note" })
        #expect(text.contains(#"\"token\":\"s3cr3t\",\"note\":\"<masked>\""#), "\(text)")
    }

    @Test(arguments: masks) func changesNoCommandThatIsMasked(mask: SecretMask) {
        #expect(CURLDescription.masked(command(mask), with: mask) == command(mask))
    }

    @Test(arguments: masks) func masksACommandAsThatOfARequest(mask: SecretMask) {
        let shown = CURLDescription.masked(command(SecretMask { _ in false }), with: mask)
        #expect(shown == command(mask))
    }

    @Test(
        arguments: [
            ("curl -d 'token=s3cr3t $x'", #"curl -d "token=<masked>""#),
            (#"curl -d '{"token":"s3cr3t","a":"$x"}' b"#, #"curl -d "{\"token\":\"<masked>\",\"a\":\"\$x\"}" b"#),
            (
                #"curl -d $'{"token":"it\'s s3cr3t","a":"\n"}' b"#,
                "curl -d \"{\\\"token\\\":\\\"<masked>\\\",\\\"a\\\":\\\"\n\\\"}\" b"
            ),
            (#"curl -H token:\ s3cr3t\ s3cr3t -v"#, #"curl -H "token: <masked>" -v"#),
            (#"curl -H "token: s3cr3t"'!'"s3cr3t" "#, #"curl -H "token: <masked>" "#),
            ("curl -H \"token: s3c\\\nr3t\"", #"curl -H "token: <masked>""#),
            (#"curl -d "{\"token\":\"s3cr3t"#, #"curl -d "{\"token\":\"<masked>\"""#),
            (#"curl -d "$x\y" "`id`" \"#, #"curl -d "$x\y" "`id`" \"#), ("curl ", "curl "),
            ("token: s3cr3t s3cr3t", "token: <masked>"), (CURLDescription.unavailable, CURLDescription.unavailable),
        ], masks)
    func masksTheWordsOfAnyCommand(example: (command: String, expected: String), mask: SecretMask) {
        #expect(CURLDescription.masked(example.command, with: mask) == example.expected)
    }

    #if os(Linux) || os(macOS)
    @Test(arguments: masks, [false, true]) func shellReadsBackAMaskedCommand(mask: SecretMask, isForeign: Bool) throws {
        let command =
            isForeign ? CURLDescription.masked(command(SecretMask { _ in false }), with: mask) : command(mask)
        let shell = try ShellCommand("curl() { for word; do printf '%s|' \"$word\"; done; }; \(command.dropFirst(2))")
        let body = Self.body.replacingOccurrences(of: "s3cr3t", with: "<masked>")
        #expect(
            shell.output
                == "-v|-X|POST|-H|X-Note: \"$(id)\\|-d|\(body)|https://example.com/?$filter=a&token=<masked>|")
    }
    #endif
}
