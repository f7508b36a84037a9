import MoyaTesting
import MoyaTransport
import Testing

@Suite struct CanonicalHostTests {
    @Test(arguments: [
        ("sample.test", "sample.test"), ("Sample.TEST", "sample.test"), ("sample.test.", "sample.test"),
        ("localhost", "localhost"), ("a_b.sample.test", "a_b.sample.test"), ("3com.test", "3com.test"),
        ("bücher.test", "xn--bcher-kva.test"), ("BÜCHER.test.", "xn--bcher-kva.test"),
        ("xn--bcher-kva.test", "xn--bcher-kva.test"), ("XN--BCHER-KVA.test", "xn--bcher-kva.test"),
        // The same letter, composed of two.
        ("bu\u{308}cher.test", "xn--bcher-kva.test"),
        ("例え。テスト", "xn--r8jz45g.xn--zckzah"), ("faß.test", "xn--fa-hia.test"), ("ﬁ.test", "fi.test"),
        ("127.0.0.1", "127.0.0.1"), ("127.1", "127.0.0.1"), ("0x7F.0.0.1", "127.0.0.1"), ("2130706433", "127.0.0.1"),
        ("017700000001", "127.0.0.1"), ("127.0.0.1.", "127.0.0.1"),
        ("1.2.3.", "1.2.0.3"),
        ("::1", "::1"), ("[::1]", "::1"), ("[0:0:0:0:0:0:0:1]", "::1"), ("0:0::0001", "::1"),
        ("2001:DB8::00A0", "2001:db8::a0"), ("[2001:db8:0:0:0:0:0:a0]", "2001:db8::a0"),
        ("::ffff:127.0.0.1", "::ffff:127.0.0.1"), ("::FFFF:7f00:1", "::ffff:127.0.0.1"),
        ("fe80::1%eth0", "fe80::1"), ("[fe80::1%25eth0]", "fe80::1"),
    ])
    func aHostHasOneSpelling(text: String, host: String) {
        #expect(CanonicalHost.of(text) == host)
        #expect(CanonicalHost.of(host) == host)
    }

    @Test(arguments: [
        "", ".", "..", "a..b", ".sample.test", "sample.test..", "*.sample.test", "*", "https://sample.test",
        "sample.test/path", "sample.test:443", "[::1]:443", "[::1", "::1]", ":::", "[]", "[sample.test]",
        "user@sample.test",
        "sample test", "sample\ttest", "sample.test\u{0}.else.test", "sample%2Etest", "b%C3%BCcher.test", "1.2.3.4.5",
        "256.1.1.1",
        "sample.1", "bü cher.test", "bücher*.test", "\u{200d}.test", "-\u{0}", "a,b", "a\\b",
        String(repeating: "a", count: 64) + ".test", String(repeating: "abc.", count: 64),
    ])
    func textThatIsNoHostHasNone(text: String) {
        #expect(CanonicalHost.of(text) == nil)
    }

    /// Any text is a host or not, and the canonical spelling of a host is stable.
    @Test func everyTextEndsInOneSpelling() {
        var generator = SeededGenerator(seed: 16)
        let alphabet = Array("aZ09.-_*:[]%/@ \u{0}üß例。\u{200d}x".unicodeScalars)
        for _ in 0..<2_000 {
            var text = String.UnicodeScalarView()
            for _ in 0..<Int.random(in: 0...12, using: &generator) {
                text.append(alphabet.randomElement(using: &generator)!)
            }
            guard let host = CanonicalHost.of(String(text)) else { continue }
            #expect(CanonicalHost.of(host) == host, "\(String(text).debugDescription)")
            #expect(host.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "\(String(text).debugDescription)")
        }
    }
}
