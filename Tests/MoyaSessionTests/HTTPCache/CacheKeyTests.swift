import Testing

@testable import MoyaSession

/// The spelling of URLs that identifies stored responses (RFC 9110 section 4.2.3).
@Suite struct CacheKeyTests {
    @Test(arguments: [
        ("HTTP://a.example/B", "http://a.example/B"), ("https://A.Example:443/?C#d", "https://a.example/?C#d"),
        ("http://a.example", "http://a.example/"), ("http://a.example:80?b", "http://a.example/?b"),
        ("http://a.example:/", "http://a.example/"), ("https://[::FF]:443/", "https://[::ff]/"),
        ("http://[::1]", "http://[::1]/"),
    ])
    func equivalentURLsHaveOneKey(url: String, key: String) {
        #expect(CacheKey.normalized(url) == key)
    }

    @Test(arguments: [
        "http://a.example/", "https://a.example:80/B?C", "http://a.example:443/", "http://a.example:8080/",
        "http://[::80]/", "http://User:PASS@a.example/", "file:///A", "", "http:", "mailto:A@b.example",
    ])
    func otherURLsAreUnchanged(url: String) {
        #expect(CacheKey.normalized(url) == url)
    }
}
