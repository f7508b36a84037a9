import Foundation
import MoyaTransport
import Testing

@testable import MoyaSession

/// Text of the caller's that an error message quotes; in each case the secret is `s3cr3t`.
@Suite struct RefusedTextTests {
    @Test(arguments: [
        ("https://a/?password=b s3cr3t&page=2", "\"https://a/?password=<masked>&page=2\" is no absolute"),
        ("ftp://me:s3cr3t@a/", "\"ftp://<masked>@a/\" is no absolute"),
        ("http:/me:s3cr3t@a/", "\"http:/<masked>@a/\" is no absolute"),
        ("/users/@me", "\"/users/@me\" is no absolute"),
        ("https://a/?page=b c", "\"https://a/?page=b c\" is no absolute"),
    ]) func masksTheURLThatItRefuses(url: String, expected: String) throws {
        let problem = try #require(HTTPRequest.problem(ofURL: url))
        #expect(problem.hasPrefix(expected), "\(problem)")
    }

    @Test(arguments: [
        "http:/me:s3cr3t@a/", "http:/me:s3cr3t@a/?token=x", "https:me:s3@//cr3t@a/", "https:/me:s3 cr3t@a/",
    ])
    func masksUserInformationWithoutSlashes(url: String) throws {
        let missing = SessionError.urlRequestValidationFailed(reason: .missingHost(url: url))
        #expect(!"\(missing)".contains("cr3t"))
        #expect(!"\(SessionError.invalidURL(url: url))".contains("cr3t"))
        #expect(try !#require(HTTPRequest.problem(ofURL: url)).contains("cr3t"))
    }

    @Test func masksTheURLErrorOfASessionError() throws {
        let failure = TransportFailure(.connect, message: "GET https://a/?token=s3cr3t")
        let error = SessionError(transportFailure: failure, url: nil)
        #expect(try !#require(error.underlyingError).localizedDescription.contains("s3cr3t"))
    }

    @Test(arguments: [300, 3_000]) func masksALongPasswordBeforeItCutsTheURL(count: Int) throws {
        for password in ["s3cr3t", "s3cr3t/", "s3cr3t?"] {
            let url = "ftp://me:\(String(repeating: password, count: count))@a/"
            #expect(try #require(HTTPRequest.problem(ofURL: url)).hasPrefix("\"ftp://<masked>@"))
        }
    }

    @Test func masksABoundedPartOfALongURL() {
        let names = Lock(0)
        let mask = SecretMask { _ in
            names.withLock { $0 += 1 }
            return false
        }
        let url = "https://a/?" + String(repeating: "a-name-of-many-bytes=b&", count: 10_000)
        #expect(mask.beginning(ofURL: url) == String(url.prefix(1_000)))
        #expect(1...1_000 ~= names.value)
    }

    @Test func quotesAThousandCharactersOfTheURLOfARefusedRedirect() throws {
        let url = try #require(URL(string: "ftp://a/" + String(repeating: "b", count: 100_000)))
        let error = RedirectRules.Refusal.unsupportedScheme(url).error
        #expect(try #require(error.underlyingError).localizedDescription.utf8.count < 1_200)
    }

    @Test(arguments: [
        ("me:s3cr3t@proxy.test", "http://proxy.test:80"), ("me:s3@cr3t@proxy.test", "http://proxy.test:80"),
        ("http://me:s3cr3t@::1", "http://[::1]:80"), ("proxy.test", "http://proxy.test:80"),
    ]) func describesAProxyWithoutUserInItsHost(host: String, expected: String) {
        let proxy = TransportConfiguration.Proxy(.http, host: host, port: 80)
        var dumped = ""
        dump(proxy, to: &dumped)
        #expect("\(proxy)" == expected)
        #expect(!"\(String(reflecting: proxy))\(dumped)".contains("cr3t"))
    }

    @Test func masksTheOriginThatItRefuses() {
        let configuration = TransportConfiguration(clientIdentityOrigins: ["http://me:s3cr3t@a"])
        #expect(throws: TransportFailure.self) { try configuration.readIdentityOrigins() }
        do { _ = try configuration.readIdentityOrigins() } catch { #expect(!error.message.contains("s3cr3t")) }
    }
}
