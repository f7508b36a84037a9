import Foundation
import Moya
import Testing

@Suite struct URLOfTargetTests {
    private func url(_ base: String, _ path: String) -> URL {
        URL(target: API(baseURL: URL(string: base)!, path: path))
    }

    @Test func emptyPathKeepsTheBaseURLUntouched() {
        let base = "http://example.com/123/somepath?X-ABC-Asd=123"
        #expect(url(base, "").absoluteString == base)
    }

    @Test(arguments: ["http://example.com/base", "http://example.com/base/"], ["path", "/path"])
    func oneSlashSeparatesBaseAndPath(_ base: String, _ path: String) {
        #expect(url(base, path).absoluteString == "http://example.com/base/path")
    }

    @Test func queryOfTheBaseFollowsThePath() {
        #expect(url("http://example.com/base?a=1", "path").absoluteString == "http://example.com/base/path?a=1")
    }

    @Test func questionMarkInThePathIsEscaped() {
        #expect(url("http://example.com", "path?a=1").absoluteString == "http://example.com/path%3Fa=1")
    }

    /// Foundation's result is the reference; a faster way must give the same.
    @Test(arguments: bases)
    func equalsAppendingPathComponent(_ base: String) throws {
        let baseURL = try #require(URL(string: base))
        for path in Self.paths {
            let expected = baseURL.appendingPathComponent(path)
            let found = URL(target: API(baseURL: baseURL, path: path))
            #expect(found.absoluteString == expected.absoluteString, "\(base) and \(path)")
            #expect(found == expected, "\(base) and \(path)")
        }
    }

    @Test func relativeBaseKeepsItsOwnBase() throws {
        let base = try #require(URL(string: "v1", relativeTo: URL(string: "http://example.com/api/")))
        let found = URL(target: API(baseURL: base, path: "path"))
        #expect(found.absoluteString == base.appendingPathComponent("path").absoluteString)
    }

    @Test func everyPathOfAFewCharactersEqualsAppendingPathComponent() {
        let characters = ["a", ".", "/", "-", "%", "?", "é", " "]
        let base = URL(string: "http://example.com/base")!
        var paths = [""]
        for _ in 0..<4 { paths = [""] + paths.flatMap { path in characters.map { path + $0 } } }
        let differing = Set(paths).subtracting([""]).filter { path in
            URL(target: API(baseURL: base, path: path)).absoluteString
                != base.appendingPathComponent(path).absoluteString
        }
        #expect(differing.sorted() == [])
    }

    private static let bases = [
        "http://example.com", "http://example.com/", "http://example.com//", "https://example.com/a",
        "https://example.com/a/", "https://example.com/a//", "https://example.com/a/b/c", "http://example.com:8080",
        "http://example.com:8080/a/", "http://user:word@example.com/a", "http://[::1]:8080/a", "http://127.0.0.1",
        "http://example.com/a%20b", "http://example.com/a%2Fb/", "http://example.com/a.b", "http://example.com/.",
        "http://example.com/..", "http://example.com/a/..", "http://example.com/a;p=1", "http://example.com/a:b",
        "http://example.com/a?b=c", "http://example.com/?b=c", "http://example.com?b=c", "http://example.com/a#f",
        "http://example.com/a?", "http://example.com/a?b/c", "http://example.com/é", "HTTP://EXAMPLE.com/A",
        "file:///", "file:///tmp", "file:///tmp/", "mailto:someone", "urn:isbn", "a", "a/b", "/a/b", "about:blank",
        "x:",
        "http:", "http://", "http:///", "https:///a", "http://:80", "http://h/a%", "http://h/a b",
    ]

    private static let paths = [
        "a", "/a", "a/", "/a/", "//a", "a//b", "a/b", "/a/b/c", ".", "..", "/.", "/..", "./a", "../a", "a/.", "a/..",
        "a/./b", "a/../b", "a.", "a..", "a.b", ".a", "/.a", "a/.b", "a b", "a%20b", "a%2Fb", "a?b", "a#b", "a:b", "a;b",
        "a@b", "a+b", "a&b=c", "a,b", "a$b", "a!b", "a'b", "a(b)", "a*b", "~a", "a_b", "a-b", "é", "日本", "🙂", "/", "//",
        "http://other.example.com", "tmp", "/users/octocat/repos", "a\\b", "a|b", "a[b]", "a{b}", "a\"b", "a<b>", "a^b",
        "a`b",
    ]
}
