import Foundation
import MoyaTransport
import Testing

/// Secrets in XML and JSON that are encoded with entities; in each case the secret is `s3cr3t`.
@Suite struct SecretMaskEntitiesTests {
    private static let masks = [SecretMask.standard, SecretMask { ["csrf_token", "password"].contains($0) }]

    private func shown(_ text: String, _ mask: SecretMask) -> [String] {
        [String(decoding: mask.body(Data(text.utf8)), as: UTF8.self), mask.text(text)]
    }

    @Test(
        arguments: [
            (
                "Request Body: <arg>&lt;password&gt;s3cr3t&lt;/password&gt;</arg>",
                "Request Body: <arg>&lt;password&gt;&lt;masked&gt;&lt;/password&gt;</arg>"
            ),
            (
                #"<div data-page="{&quot;csrf_token&quot;:&quot;s3cr3t&quot;}">"#,
                #"<div data-page="{&quot;csrf_token&quot;:&quot;&lt;masked&gt;&quot;}">"#
            ),
            (
                "{\"xml\":\"&lt;password&gt;a=b&amp;amp;s3cr3t&lt;/password&gt;\"}",
                "{\"xml\":\"&lt;password&gt;&lt;masked&gt;&lt;/password&gt;\"}"
            ),
            (#"{"xml":"&lt;password&gt;s3cr3t"#, #"{"xml":"&lt;password&gt;&lt;masked&gt;"#),
            (
                "{\"xml\":\"&#60;password&#x3E;s3cr3t&#x3C;/password&#062;\",\"page\":2}",
                "{\"xml\":\"&lt;password&gt;&lt;masked&gt;&lt;/password&gt;\",\"page\":2}"
            ),
            (
                #"{"json":"{&#34;password&#x22;:&#34;s3cr3t&#34;}"}"#,
                #"{"json":"{&quot;password&quot;:&quot;&lt;masked&gt;&quot;}"}"#
            ),
            (
                "<a>&amp;lt;password&amp;gt;s3cr3t&amp;lt;/password&amp;gt;</a>",
                "<a>&amp;lt;password&amp;gt;&amp;lt;masked&amp;gt;&amp;lt;/password&amp;gt;</a>"
            ),
            (
                #"<a>&lt;password type="text"&gt;s3cr3t&lt;/password&gt;</a>"#,
                #"<a>&lt;password &lt;masked&gt;&gt;&lt;masked&gt;&lt;/password&gt;</a>"#
            ),
            (
                "<p>It's password=&quot;s3cr3t&quot; &amp; more</p>",
                "<p>It's password=&quot;&lt;masked&gt;&quot; &amp; more</p>"
            ),
            (
                "xml=&lt;password&gt;s3cr3t&lt;/password&gt;",
                "xml=&lt;password&gt;&lt;masked&gt;&lt;/password&gt;"
            ),
            (
                "<p>{&quot;password&quot;:&quot;s3cr3t&quot;}</p>{\"password\":\"s3cr3t\"}",
                "<p>{&quot;password&quot;:&quot;&lt;masked&gt;&quot;}</p>{\"password\":\"<masked>\"}"
            ),
            (
                "<b c='24&quot;' password=\"s3cr3t\">&lt;password&gt;s3cr3t",
                "<b c='24&quot;' password=&quot;&lt;masked&gt;&quot;&gt;&lt;password&gt;&lt;masked&gt;"
            ),
        ], masks)
    func masksEncodedMarkupAndJSON(example: (text: String, expected: String), mask: SecretMask) {
        let shown = shown(example.text, mask)
        #expect(shown == [example.expected, example.expected])
        #expect(self.shown(example.expected, mask) == shown)
    }

    @Test(
        arguments: [
            "<p>&lt;b&gt;It&apos;s &quot;bold&quot;&lt;/b&gt; &amp; &#60;i&#62; &nbsp; &unknown; &#xD800; & &lt</p>",
            "<code>&lt;password&gt;</code>", "a=1&b=&lt;2&c=3", "https://a/?b=c&lt=d&quot;=e", "&", "&;", "&lt", "&lt;",
        ], masks)
    func leavesOtherEntitiesReadable(text: String, mask: SecretMask) {
        #expect(shown(text, mask) == [text, text])
    }

    @Test(arguments: masks) func keepsTheItemsOfAFormApart(mask: SecretMask) {
        let text = "a=&lt;b&gt;&password=s3cr3t <&page=2"
        #expect(shown(text, mask)[0] == "a=&lt;b&gt;&password=<masked>&page=2")
    }

    @Test func masksNothingThatFollowsManyOpenBrackets() {
        let text = String(repeating: "<p>{&quot;a&quot;:[1,{}]}</p>", count: 1000) + "<p>{\"a\":\"b\"}</p>"
        #expect(shown(text, .standard) == [text, text])
    }
}
