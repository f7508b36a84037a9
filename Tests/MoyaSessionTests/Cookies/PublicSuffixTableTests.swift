import Foundation
import MoyaTesting
import Testing

@testable import MoyaSession

/// The rules of the list that this machine has, each held to the package's own copy.
@Suite(.enabled(if: InstalledList.text != nil, "there is no list at \(InstalledList.path)"))
struct PublicSuffixTableTests {
    private let list = InstalledList.text.map(InstalledList.init)

    private func place(_ domain: String, from host: String) -> PlacedCookie? {
        URL(string: "https://\(host)/").flatMap { CookieOrigin(url: $0) }.flatMap { origin in
            SetCookie(parsing: "a=b; Domain=\(domain)", now: .now).flatMap {
                CookieRules(suffixes: .builtIn).place($0, from: origin, among: [])
            }
        }
    }

    @Test func refusesACookieForAnySuffixInEitherForm() throws {
        let list = try #require(list)
        var wrong: [String] = []
        for rule in list.suffixes {
            let ascii = InstalledList.ascii(rule)
            for domain in [rule, ascii] where place(domain, from: "www.site.\(ascii)") != nil { wrong.append(domain) }
            if !PublicSuffixes.builtIn.isPublicSuffix(ascii) { wrong.append(ascii) }
            if PublicSuffixes.builtIn.registrableDomain(of: "www.site.\(ascii)") == nil { wrong.append(ascii) }
        }
        #expect(list.suffixes.count > 5000)
        #expect(wrong == [])
    }

    @Test func refusesACookieForAnyDomainUnderAWildcard() throws {
        let wildcards = try #require(list).wildcards.map(InstalledList.ascii)
        #expect(wildcards.count > 10)
        let wrong = wildcards.filter { place("any.\($0)", from: "www.site.any.\($0)") != nil }
        #expect(wrong == [])
    }

    @Test func takesACookieForAnyException() throws {
        let exceptions = try #require(list).exceptions.map(InstalledList.ascii)
        #expect(!exceptions.isEmpty)
        #expect(exceptions.filter { place($0, from: "www.\($0)") == nil } == [])
    }

    @Test func takesACookieForASiteUnderAnySuffix() throws {
        let list = try #require(list)
        let wildcards = Set(list.wildcards)
        var wrong: [String] = []
        for rule in list.suffixes where !wildcards.contains(rule) {
            let site = "site-of-moya.\(InstalledList.ascii(rule))"
            if place(site, from: "www.\(site)") == nil { wrong.append(site) }
        }
        #expect(wrong == [])
    }

    @Test func tellsRegistriesFromOperators() throws {
        let list = try #require(list)
        #expect(list.privateSuffixes.count > 1000)
        var wrong: [String] = []
        for rule in list.suffixes where rule.contains(".") {
            let isPrivate = list.privateSuffixes.contains(rule)
            if PublicSuffixes.isRegistry(InstalledList.ascii(rule)) == isPrivate { wrong.append(rule) }
        }
        #expect(wrong == [])
    }

    @Test func treatsNoOtherDomainAsASuffix() {
        var random = SeededGenerator(seed: 8)
        let letters = Array("abcdefghijklmnopqrstuvwxyz0123456789")
        let wrong = (0..<100_000).map { _ in
            String((0..<12).map { _ in letters.randomElement(using: &random)! }) + ".com"
        }.filter(PublicSuffixes.builtIn.isPublicSuffix)
        #expect(wrong == [])
    }

    @Test func agreesWithTheSystem() throws {
        let list = try #require(list)
        for rule in list.suffixes.map(InstalledList.ascii) where !PublicSuffixes.system.isPublicSuffix(rule) {
            Issue.record("\(rule)")
        }
        #expect(!PublicSuffixes.system.isPublicSuffix("example.com"))
        #expect(!PublicSuffixes.system.isPublicSuffix("www.ck"))
    }
}

/// The Public Suffix List as Debian installs it.
private struct InstalledList {
    static let path = "/usr/share/publicsuffix/public_suffix_list.dat"
    static let text = try? String(contentsOfFile: path, encoding: .utf8)

    var suffixes: [String] = []
    var privateSuffixes: Set<String> = []
    /// The domains right above wildcards.
    var wildcards: [String] = []
    var exceptions: [String] = []

    init(_ text: String) {
        var isPrivate = false
        for line in text.split(whereSeparator: \.isNewline) {
            if line.contains("===BEGIN PRIVATE DOMAINS===") { isPrivate = true }
            if line.hasPrefix("//") { continue }
            guard let rule = line.split(separator: " ").first.map(String.init) else { continue }
            if rule.hasPrefix("!") {
                exceptions.append(String(rule.dropFirst()))
            } else if rule.hasPrefix("*.") {
                wildcards.append(String(rule.dropFirst(2)))
            } else {
                suffixes.append(rule)
                if isPrivate { privateSuffixes.insert(rule) }
            }
        }
    }

    /// The form in which hosts have a name.
    static func ascii(_ name: String) -> String {
        if name.utf8.allSatisfy({ $0 < 0x80 }) { return name }
        var components = URLComponents()
        components.host = name
        return components.encodedHost ?? name
    }
}
