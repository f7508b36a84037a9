#if os(Linux)
import Foundation
import FoundationNetworking
import MoyaTransport
import Testing

@testable import MoyaSession

/// The cookies of an earlier process, which Foundation reads from its file without `Secure`.
@Suite struct SavedCookiesTests {
    /// Saves cookies as Foundation does, before it reads them.
    private static func save(_ cookies: [String: [String: any Sendable]], in home: URL) throws {
        setenv("XDG_DATA_HOME", home.path, 1)
        let folder = home.appendingPathComponent(Bundle.main.bundleURL.lastPathComponent)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let data = try PropertyListSerialization.data(fromPropertyList: cookies, format: .xml, options: 0)
        try data.write(to: folder.appendingPathComponent(".cookies.shared"))
    }

    private static func cookie(_ name: String, isSecure: Bool) -> [String: any Sendable] {
        let expiry = Date(timeIntervalSinceNow: 1_000).timeIntervalSince1970
        return [
            "Name": name, "Value": "1", "Domain": "e.com", "Path": "/", "Version": 0, "Expires": expiry,
            "Secure": isSecure,
        ]
    }

    private static func header(_ url: String, of engine: CookieEngine) -> String? {
        engine.cookieHeader(for: HTTPRequest(method: "GET", url: url))
    }

    @Test func secureCookiesStaySecureAfterARestart() async {
        await #expect(processExitsWith: .success) {
            let home = try TestDirectory()
            try Self.save(
                ["e.com/s": Self.cookie("s", isSecure: true), "e.com/p": Self.cookie("p", isSecure: false)],
                in: home.url)
            let engine = try #require(CookieEngine(configuration: .default))
            #expect(Self.header("http://e.com/", of: engine) == "p=1")
            #expect(Self.header("https://e.com/", of: engine)?.contains("s=1") == true)
            engine.store(setCookieFields: ["s=evil"], from: URL.sure("http://e.com/"))
            #expect(Self.header("https://e.com/", of: engine)?.contains("evil") == false)
        }
    }

    @Test func theFileKeepsTheAttributeWhenItIsWritten() async {
        await #expect(processExitsWith: .success) {
            let home = try TestDirectory()
            try Self.save(["e.com/s": Self.cookie("s", isSecure: true)], in: home.url)
            let engine = try #require(CookieEngine(configuration: .default))
            engine.store(setCookieFields: ["new=1; Max-Age=100"], from: URL.sure("https://e.com/"))
            let file = try #require(OwnerOnlyFolder.file(of: .shared))
            let saved = try PropertyListSerialization.propertyList(
                from: Data(contentsOf: URL(fileURLWithPath: file)), options: [], format: nil)
            let cookies = try #require(saved as? [String: [String: Any]])
            #expect(cookies["e.com/s"]?["Secure"] as? Bool == true)
            #expect(cookies["e.com/new"]?["Secure"] as? Bool == false)
        }
    }

    @Test func readingTheFileWritesNothing() async {
        await #expect(processExitsWith: .success) {
            let home = try TestDirectory()
            try Self.save(["e.com/s": Self.cookie("s", isSecure: true)], in: home.url)
            let engine = try #require(CookieEngine(configuration: .default))
            let file = try #require(OwnerOnlyFolder.file(of: .shared))
            let number = try FileManager.default.attributesOfItem(atPath: file)[.systemFileNumber] as? Int
            _ = Self.header("https://e.com/", of: engine)
            _ = try #require(CookieEngine(configuration: .default))
            #expect(try FileManager.default.attributesOfItem(atPath: file)[.systemFileNumber] as? Int == number)
        }
    }

    @Test func aServerMayTakeTheAttributeAway() async {
        await #expect(processExitsWith: .success) {
            let home = try TestDirectory()
            try Self.save(["e.com/s": Self.cookie("s", isSecure: true)], in: home.url)
            let engine = try #require(CookieEngine(configuration: .default))
            engine.store(setCookieFields: ["s=1; Max-Age=100"], from: URL.sure("https://e.com/"))
            #expect(Self.header("http://e.com/", of: engine) == "s=1")
        }
    }

    @Test func aCookieThatTheAppReplacedIsTheApps() async {
        await #expect(processExitsWith: .success) {
            let home = try TestDirectory()
            try Self.save(["e.com/s": Self.cookie("s", isSecure: true)], in: home.url)
            let properties: [HTTPCookiePropertyKey: Any] = [.name: "s", .value: "2", .domain: "e.com", .path: "/"]
            HTTPCookieStorage.shared.setCookie(try #require(HTTPCookie(properties: properties)))
            let engine = try #require(CookieEngine(configuration: .default))
            #expect(Self.header("http://e.com/", of: engine) == "s=2")
        }
    }

    @Test func aFileThatIsNoListOfCookiesIsIgnored() async {
        await #expect(processExitsWith: .success) {
            let home = try TestDirectory()
            setenv("XDG_DATA_HOME", home.url.path, 1)
            HTTPCookieStorage.shared.setCookie(
                try #require(HTTPCookie(properties: [.name: "s", .value: "2", .domain: "e.com", .path: "/"])))
            let file = try #require(OwnerOnlyFolder.file(of: .shared))
            try Data("no list".utf8).write(to: URL(fileURLWithPath: file))
            let engine = try #require(CookieEngine(configuration: .default))
            #expect(Self.header("http://e.com/", of: engine) == "s=2")
        }
    }
}
#endif
