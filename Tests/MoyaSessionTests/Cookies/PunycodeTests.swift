import Testing

@testable import MoyaSession

@Suite struct PunycodeTests {
    @Test(arguments: [
        ("xn--bcher-kva.example", "bücher.example"),
        ("xn--p1ai", "рф"),
        ("xn--55qx5d.cn", "公司.cn"),
        ("www.xn--fiqs8s", "www.中国"),
        ("xn--mgba3a4f16a", "ایران"),
        ("xn--maana-pta.com", "mañana.com"),
        ("plain.example", "plain.example"),
        ("", ""),
    ])
    func labelsAreDecoded(host: String, expected: String) {
        #expect(Punycode.unicode(of: host) == expected)
    }

    @Test(arguments: ["xn--a!", "xn--99999999999", "xn--zzzzzzzzzzzzzzzzzzzzzzzzzz", "xn--é", "xn--a-"])
    func aMalformedLabelIsKeptOrDecodedSafely(host: String) {
        let decoded = Punycode.unicode(of: host)
        #expect(decoded == host || !decoded.hasPrefix("xn--"))
    }

    @Test func anOverlongLabelIsKeptEncoded() {
        let label = "xn--" + String(repeating: "a", count: 200)
        #expect(Punycode.unicode(of: label) == label)
    }
}
