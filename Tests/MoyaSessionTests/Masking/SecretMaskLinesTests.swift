import Foundation
import MoyaTransport
import Testing

/// Secrets in lines of YAML and other text; in each case the secret is `s3cr3t`.
@Suite struct SecretMaskLinesTests {
    private let mask = SecretMask.standard

    // MARK: YAML

    @Test(arguments: [
        ("tokens:\n- s3cr3t\n- s3cr3t\npage: 2", "tokens:<masked>\npage: 2"),
        ("a:\n  tokens:\n  - s3cr3t\n  b: 2", "a:\n  tokens:<masked>\n  b: 2"),
        ("- tokens:\n  - s3cr3t\n- b: 2", "- tokens:<masked>\n- b: 2"),
        ("secret: |\n  abc\n\n  s3cr3t\npage: 2", "secret: <masked>\npage: 2"),
        ("secret: >-\r\n  abc\r\n\r\n\r\n  s3cr3t\r\n\r\npage: 2", "secret: <masked>\r\n\r\npage: 2"),
        (
            "- name: DB_PASSWORD\n  value: s3cr3t\n- name: X\n  value: y",
            "- name: DB_PASSWORD\n  value: <masked>\n- name: X\n  value: y"
        ),
        ("- name: \"API_TOKEN\" \n  value: \"s3cr3t\"\n", "- name: \"API_TOKEN\" \n  value: \"<masked>\"\n"),
        ("name: API_TOKEN\nvalue: |\n  abc\n\n  s3cr3t\npage: 2", "name: API_TOKEN\nvalue: <masked>\npage: 2"),
        ("spring.datasource.password: s3cr3t\na.b: c", "spring.datasource.password: <masked>\na.b: c"),
        ("data:\n  tls.key: s3cr3t", "data:\n  tls.key: <masked>"),
    ]) func masksValuesInYAML(text: String, expected: String) {
        #expect(mask.text(text) == expected)
    }

    @Test(arguments: [
        "- page: 2\n- author: x", "tokens:\nnext: 2", "- name: DB_PAGE\n  value: 2", "- name: TOKEN\n- value: 2",
        "name: token\n  value: 2", "auth.example.com:443 refused", "SessionError.sessionTaskFailed: It failed.",
        "name: token\nvalueFrom:\n  key: x",
    ]) func leavesOtherLinesReadable(text: String) {
        #expect(mask.text(text) == text)
    }

    /// Each name selects the next line, whose block extends to the end.
    @Test(.timeLimit(.minutes(1)), arguments: ["name: token\nvalue: |\n", "tokens:\n", "tokens:\n- ", "a.b."])
    func readsManyLinesABoundedNumberOfTimes(piece: String) {
        #expect(!mask.text(String(repeating: piece, count: (1 << 18) / piece.utf8.count)).isEmpty)
    }
}
