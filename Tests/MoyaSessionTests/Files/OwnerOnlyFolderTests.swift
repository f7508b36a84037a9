#if os(Linux)
import Foundation
import MoyaTesting
import MoyaTransport
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Most in a separate process: all of it shares one umask, and one home.
@Suite struct OwnerOnlyFolderTests {
    private static func permissions(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    /// The files below a root, and their folders, none of which others may read or enter.
    private static func expectClosed(_ root: URL, file name: String) throws {
        let paths = try FileManager.default.subpathsOfDirectory(atPath: root.path).filter { $0.hasSuffix(name) }
        #expect(!paths.isEmpty)
        for path in paths {
            let folder = root.appendingPathComponent((path as NSString).deletingLastPathComponent)
            #expect(try permissions(folder.path) == 0o700)
            #expect(try permissions(root.appendingPathComponent(path).path) == 0o600)
        }
    }

    @Test func keepsCookiesToTheirOwnerUnderAnyUmask() async {
        await #expect(processExitsWith: .success) {
            let home = try TestDirectory()
            setenv("XDG_DATA_HOME", home.url.path, 1)
            umask(0)
            let engine = try #require(CookieEngine(configuration: .default))
            engine.store(setCookieFields: ["a=b; Max-Age=100"], from: URL.sure("https://e.com/"))
            try OwnerOnlyFolderTests.expectClosed(home.url, file: ".cookies.shared")
        }
    }

    @Test func keepsCookiesOfOtherCodeToTheirOwnerOnceTheyMayBeSent() async {
        await #expect(processExitsWith: .success) {
            let home = try TestDirectory()
            setenv("XDG_DATA_HOME", home.url.path, 1)
            umask(0)
            let cookie = try #require(
                HTTPCookie(properties: [
                    .name: "a", .value: "b", .domain: "other.com", .path: "/", .expires: Date.distantFuture,
                ]))
            HTTPCookieStorage.shared.setCookie(cookie)
            _ = try #require(CookieEngine(configuration: .default))
            try OwnerOnlyFolderTests.expectClosed(home.url, file: ".cookies.shared")
        }
    }

    @Test func keepsCachedResponsesToTheirOwnerUnderAnyUmask() async {
        await #expect(processExitsWith: .success) {
            let home = try TestDirectory()
            setenv("XDG_CACHE_HOME", home.url.path, 1)
            umask(0)
            let store = URLCache(memoryCapacity: 1 << 20, diskCapacity: 1 << 20, diskPath: nil)
            URLCacheStore(store).insert(
                CachedResponse(
                    url: "https://e.com/", status: 200, fields: [], requested: 0, received: 0,
                    body: .memory(Data("x".utf8))))
            try OwnerOnlyFolderTests.expectClosed(home.url, file: ".storedcachedurlresponse")
        }
    }

    @Test(arguments: [true, false])
    func keepsCachedResponsesInAFolderOfTheAppsToTheirOwner(isThere: Bool) async {
        await #expect(processExitsWith: .success) { [isThere = isThere as Bool] in
            let home = try TestDirectory()
            umask(0)
            let folder = home.url.appendingPathComponent("chosen")
            if isThere { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false) }
            let store = URLCache(memoryCapacity: 1 << 20, diskCapacity: 1 << 20, diskPath: folder.path)
            URLCacheStore(store).insert(
                CachedResponse(
                    url: "https://e.com/", status: 200, fields: [], requested: 0, received: 0,
                    body: .memory(Data("x".utf8))))
            try OwnerOnlyFolderTests.expectClosed(home.url, file: ".storedcachedurlresponse")
        }
    }

    @Test func restrictsOnlyTheResponsesInAFolderWithOtherFiles() async {
        await #expect(processExitsWith: .success) {
            let home = try TestDirectory()
            chmod(home.url.path, 0o755)
            umask(0o022)
            try Data().write(to: home.url.appendingPathComponent("page.html"))
            let store = URLCache(memoryCapacity: 1 << 20, diskCapacity: 1 << 20, diskPath: home.url.path)
            URLCacheStore(store).insert(
                CachedResponse(
                    url: "https://e.com/", status: 200, fields: [], requested: 0, received: 0,
                    body: .memory(Data("x".utf8))))
            let names = try FileManager.default.contentsOfDirectory(atPath: home.url.path)
            let paths = names.sorted { $0.count < $1.count }.map { home.url.path + "/" + $0 }
            #expect(try paths.map { try OwnerOnlyFolderTests.permissions($0) } == [0o644, 0o600])
            #expect(try OwnerOnlyFolderTests.permissions(home.url.path) == 0o755)
        }
    }

    @Test func restrictsAFolderThatCouldNotBeOpenedAtItsNextChange() throws {
        let home = try TestDirectory()
        let folder = home.url.appendingPathComponent("chosen")
        let cache = URLCache(memoryCapacity: 1 << 20, diskCapacity: 1 << 20, diskPath: folder.path)
        try? FileManager.default.removeItem(at: folder)
        try Data().write(to: folder)
        let store = URLCacheStore(cache)
        try FileManager.default.removeItem(at: folder)
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o755])
        store.insert(
            CachedResponse(
                url: "https://e.com/", status: 200, fields: [], requested: 0, received: 0,
                body: .memory(Data("x".utf8))))
        try Self.expectClosed(home.url, file: ".storedcachedurlresponse")
    }

    @Test func keepsAFolderBehindItsOwnersLinkToItsOwner() async {
        await #expect(processExitsWith: .success) {
            let home = try TestDirectory()
            umask(0)
            let folders = ["data", "link"].map { home.url.appendingPathComponent($0).path }
            try FileManager.default.createDirectory(
                atPath: folders[0], withIntermediateDirectories: false, attributes: [.posixPermissions: 0o755])
            try FileManager.default.createSymbolicLink(atPath: folders[1], withDestinationPath: folders[0])
            try Folder(at: folders[1]).restrict()
            #expect(try OwnerOnlyFolderTests.permissions(folders[0]) == 0o700)
        }
    }

    @Test func keepsTemporaryFilesToTheirOwnerUnderAnyUmask() async {
        await #expect(processExitsWith: .success) {
            let directory = try TestDirectory()
            for mask in [0o777, 0o077, 0] as [mode_t] {
                umask(mask)
                let download = try TemporaryFile.make()
                let form = RequestMultipartFormData()
                form.append(Data("x".utf8), withName: "n")
                let file = directory.url.appendingPathComponent("\(mask)")
                try form.writeEncodedData(to: file)
                umask(0o022)
                #expect(try OwnerOnlyFolderTests.permissions(download.url.path) == 0o600)
                #expect(try OwnerOnlyFolderTests.permissions(file.path) == 0o600)
            }
        }
    }

    @Test func restrictsOnlyTheCookiesInASharedFolder() async {
        await #expect(processExitsWith: .success) {
            let home = try TestDirectory()
            setenv("XDG_DATA_HOME", home.url.path, 1)
            let file = try #require(
                Mirror(reflecting: HTTPCookieStorage.shared).children.first { $0.label == "cookieFilePath" }?.value
                    as? String)
            let folder = (file as NSString).deletingLastPathComponent
            chmod(folder, 0o1777)
            let engine = try #require(CookieEngine(configuration: .default))
            engine.store(setCookieFields: ["a=b; Max-Age=100"], from: URL.sure("https://e.com/"))
            #expect(try OwnerOnlyFolderTests.permissions(folder) == 0o1777)
            #expect(try OwnerOnlyFolderTests.permissions(file) == 0o600)
        }
    }
}
#endif
