import Foundation
import MoyaTransport
import Testing

/// Secrets after a quotation mark without a partner; in each case the secret is `s3cr3t`.
@Suite struct SecretMaskUnpairedMarksTests {
    private static let masks = [
        SecretMask.standard, SecretMask { ["csrf_token", "access_token", "token", "password"].contains($0) },
    ]

    private func shown(_ text: String, _ mask: SecretMask) -> [String] {
        [String(decoding: mask.body(Data(text.utf8)), as: UTF8.self), mask.text(text)]
    }

    @Test(
        arguments: [
            (
                #"<h1>24" monitor</h1><input type="hidden" name="csrf_token" value="s3cr3t">"#,
                #"<h1>24" monitor</h1><input type="hidden" name="csrf_token" value="<masked>">"#
            ),
            (
                #"unexpected '"' in {"access_token":"s3cr3t"}"#,
                #"unexpected '"' in {"access_token":"<masked>"}"#
            ),
            ("{\"a\":\"trunc\n{\"token\":\"s3cr3t\"}", "{\"a\":\"trunc\n{\"token\":\"<masked>\"}"),
            (#"{"title":"5" screen","password":"s3cr3t"}"#, #"{"title":"5" screen","password":"<masked>"}"#),
            (
                #"{"note":"size 6\", body: password=\"s3cr3t\""}"#,
                #"{"note":"size 6\", body: password=\"<masked>\""}"#
            ),
            (
                #"<script>var q='"'; var token="s3cr3t";</script>"#,
                #"<script>var q='"'; var token="<masked>";</script>"#
            ),
            (#"var q='"'; var token="/s3cr3t";"#, #"var q='"'; var token="<masked>";"#),
            (#"{"body":"{"password":"s3cr3t"}"}"#, #"{"body":"{"password":"<masked>"}"}"#),
            (#"{"password":"5"s3cr3t","page":2}"#, #"{"password":"<masked>","page":2}"#),
        ], masks)
    func masksSecretsAfterAnUnpairedMark(example: (text: String, expected: String), mask: SecretMask) {
        #expect(shown(example.text, mask) == [example.expected, example.expected])
    }

    @Test(
        arguments: [
            #"<h1>24" monitor</h1><input type="text" name="page" value="2">"#, #"say "hello"to {"page":"2"}"#,
            #"{"a":"x","b":["","y"],"c":"z=","d":""}"#, #"<a href="x="/><b title="y">"</b>"#,
        ], masks)
    func leavesOtherTextBetweenMarksReadable(text: String, mask: SecretMask) {
        #expect(shown(text, mask) == [text, text])
    }
}
