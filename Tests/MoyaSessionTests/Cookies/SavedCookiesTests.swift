#if os(Linux)
import Foundation
import FoundationNetworking
import MoyaTesting
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

    /// Another store with the files of this process's, as the next process reads them.
    private static func nextStorage() throws -> HTTPCookieStorage {
        let path = try #require(OwnerOnlyFolder.file(of: .shared))
        for suffix in ["", ".secure"] where FileManager.default.fileExists(atPath: path + suffix) {
            let next = path.replacingOccurrences(of: ".cookies.shared", with: ".cookies.next")
            try FileManager.default.copyItem(atPath: path + suffix, toPath: next + suffix)
        }
        return HTTPCookieStorage.sharedCookieStorage(forGroupContainerIdentifier: "next")
    }

    private static func plainCookie(_ name: String) throws -> HTTPCookie {
        let expiry = Date(timeIntervalSinceNow: 1_000)
        return try #require(
            HTTPCookie(properties: [.name: name, .value: "2", .domain: "e.com", .path: "/", .expires: expiry]))
    }

    @Test func cookiesStaySecureAfterAChangeByTheApp() async {
        await #expect(processExitsWith: .success) {
            let home = try TestDirectory()
            try Self.save(["e.com/s": Self.cookie("s", isSecure: true)], in: home.url)
            _ = try #require(CookieEngine(configuration: .default))
            HTTPCookieStorage.shared.setCookie(try Self.plainCookie("p"))
            let engine = CookieEngine(storage: try Self.nextStorage())
            #expect(Self.header("http://e.com/", of: engine) == "p=2")
        }
    }

    @Test func cookiesStaySecureAfterAChangeByAServer() async {
        await #expect(processExitsWith: .success) {
            let home = try TestDirectory()
            try Self.save(["e.com/s": Self.cookie("s", isSecure: true)], in: home.url)
            let first = try #require(CookieEngine(configuration: .default))
            first.store(setCookieFields: ["p=2; Max-Age=100"], from: URL.sure("https://e.com/"))
            let engine = CookieEngine(storage: try Self.nextStorage())
            #expect(Self.header("http://e.com/", of: engine) == "p=2")
        }
    }

    @Test func cookiesOfAServerStaySecureIfTheAppChangesTheStoreFirst() async {
        await #expect(processExitsWith: .success) {
            let home = try TestDirectory()
            setenv("XDG_DATA_HOME", home.url.path, 1)
            let first = try #require(CookieEngine(configuration: .default))
            first.store(setCookieFields: ["s=1; Max-Age=100; Secure"], from: URL.sure("https://e.com/"))
            let next = try Self.nextStorage()
            next.setCookie(try Self.plainCookie("p"))
            #expect(Self.header("http://e.com/", of: CookieEngine(storage: next)) == "p=2")
        }
    }

    @Test func theListOfSecureCookiesDoesNotShowThem() async {
        await #expect(processExitsWith: .success) {
            let home = try TestDirectory()
            setenv("XDG_DATA_HOME", home.url.path, 1)
            let engine = try #require(CookieEngine(configuration: .default))
            engine.store(setCookieFields: ["s=password; Max-Age=100; Secure"], from: URL.sure("https://e.com/"))
            let path = try #require(OwnerOnlyFolder.file(of: .shared)) + ".secure"
            let list = try #require(FileManager.default.contents(atPath: path))
            #expect(!list.isEmpty && !String(decoding: list, as: UTF8.self).contains("password"))
        }
    }

    private static func list() throws -> URL {
        URL(fileURLWithPath: try #require(OwnerOnlyFolder.file(of: .shared)) + ".secure")
    }

    @Test func keepsTheCookiesThatAnotherProcessLists() async {
        await #expect(processExitsWith: .success) {
            let home = try TestDirectory()
            setenv("XDG_DATA_HOME", home.url.path, 1)
            let engine = try #require(CookieEngine(configuration: .default))
            engine.store(setCookieFields: ["s=1; Max-Age=100; Secure"], from: URL.sure("https://e.com/"))
            var list = try Data(contentsOf: try Self.list())
            list.append(Data("\nof another process".utf8))
            try list.write(to: try Self.list())
            engine.store(setCookieFields: ["s=2; Max-Age=100; Secure"], from: URL.sure("https://e.com/"))
            #expect(try String(contentsOf: Self.list(), encoding: .utf8).contains("of another process"))
        }
    }

    @Test func aCookieThatAnotherProcessStillHoldsStaysSecureAfterItsRemoval() async {
        await #expect(processExitsWith: .success) {
            let home = try TestDirectory()
            setenv("XDG_DATA_HOME", home.url.path, 1)
            let engine = try #require(CookieEngine(configuration: .default))
            engine.store(setCookieFields: ["s=1; Max-Age=100; Secure"], from: URL.sure("https://e.com/"))
            engine.store(setCookieFields: ["s=; Max-Age=0; Secure"], from: URL.sure("https://e.com/"))
            let next = try Self.nextStorage()
            let expiry = Date(timeIntervalSinceNow: 1_000)
            next.setCookie(
                try #require(
                    HTTPCookie(properties: [.name: "s", .value: "1", .domain: "e.com", .path: "/", .expires: expiry])))
            #expect(Self.header("http://e.com/", of: CookieEngine(storage: next)) == nil)
        }
    }

    @Test func theListStaysBounded() async {
        await #expect(processExitsWith: .success) {
            let home = try TestDirectory()
            setenv("XDG_DATA_HOME", home.url.path, 1)
            let engine = try #require(CookieEngine(configuration: .default))
            let older = (0..<20_000).map { String(repeating: "0", count: 58) + String(100_000 + $0) }
            try Data(older.joined(separator: "\n").utf8).write(to: try Self.list())
            engine.store(setCookieFields: ["s=1; Max-Age=100; Secure"], from: URL.sure("https://e.com/"))
            let list = try String(contentsOf: Self.list(), encoding: .utf8).split(separator: "\n")
            #expect(list.count == 10_001 && list.contains { $0.hasSuffix("119999") })
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
            #expect(Self.header("http://e.com/", of: CookieEngine(storage: try Self.nextStorage())) == "s=1")
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

    // MARK: A list that cannot be read or written

    private static func secureCookie(_ name: String) throws -> HTTPCookie {
        var properties = try #require(plainCookie(name).properties)
        properties[.secure] = "TRUE"
        return try #require(HTTPCookie(properties: properties))
    }

    /// The path of a list that is a folder until it is removed.
    private static func unreadableList(in home: TestDirectory) throws -> URL {
        let list = home.url.appendingPathComponent("cookies.secure")
        try FileManager.default.createDirectory(at: list, withIntermediateDirectories: false)
        return list
    }

    @Test func allSavedCookiesAreSecureUntilTheListCanBeRead() throws {
        let home = try TestDirectory()
        let path = home.url.appendingPathComponent("cookies").path
        let cookies = [try Self.plainCookie("s"), try Self.plainCookie("p")]
        SavedCookies([], at: path).record(try Self.secureCookie("s"), replacing: nil)
        let list = URL(fileURLWithPath: path + ".secure")
        let aside = home.url.appendingPathComponent("aside")
        try FileManager.default.moveItem(at: list, to: aside)
        _ = try Self.unreadableList(in: home)
        let saved = SavedCookies(cookies, at: path)
        #expect(saved.restoring(cookies).map(\.isSecure) == [true, true])
        try FileManager.default.removeItem(at: list)
        try FileManager.default.moveItem(at: aside, to: list)
        #expect(saved.restoring(cookies).map(\.isSecure) == [true, false])
    }

    @Test func aCookieThatIsReplacedWhileTheListCannotBeReadIsAsItWasSet() throws {
        let home = try TestDirectory()
        let list = try Self.unreadableList(in: home)
        let cookie = try Self.plainCookie("p")
        let saved = SavedCookies([cookie], at: home.url.appendingPathComponent("cookies").path)
        saved.record(cookie, replacing: saved.restoring([cookie])[0])
        #expect(saved.restoring([cookie]).map(\.isSecure) == [false])
        try FileManager.default.removeItem(at: list)
        #expect(saved.restoring([cookie]).map(\.isSecure) == [false])
    }

    @Test func aListThatCannotBeReadIsNotReplaced() throws {
        let home = try TestDirectory()
        let list = try home.file("cookies.secure")
        #expect(truncate(list.path, 65 << 20) == 0)
        let saved = SavedCookies([], at: home.url.appendingPathComponent("cookies").path)
        saved.record(try Self.secureCookie("s"), replacing: nil)
        #expect(try RegularFile(at: list.path).length == 65 << 20)
    }

    @Test func cookiesThatCouldNotBeListedAreListedWithTheNextOne() throws {
        let home = try TestDirectory()
        let list = try Self.unreadableList(in: home)
        let path = home.url.appendingPathComponent("cookies").path
        let saved = SavedCookies([], at: path)
        saved.record(try Self.secureCookie("s"), replacing: nil)
        try FileManager.default.removeItem(at: list)
        saved.record(try Self.secureCookie("t"), replacing: nil)
        let cookies = [try Self.plainCookie("s"), try Self.plainCookie("t")]
        #expect(SavedCookies(cookies, at: path).restoring(cookies).map(\.isSecure) == [true, true])
    }
}
#endif
