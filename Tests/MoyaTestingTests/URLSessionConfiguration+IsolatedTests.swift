import Foundation
import MoyaTesting
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct URLSessionConfigurationIsolatedTests {
    private func cookie() throws -> HTTPCookie {
        try #require(
            HTTPCookie(properties: [
                .name: "isolated", .value: "1", .domain: "isolated.test", .path: "/",
                .expires: Date(timeIntervalSinceNow: 1_000),
            ]))
    }

    private func cookies(of configuration: URLSessionConfiguration) throws -> [String] {
        try #require(configuration.httpCookieStorage?.cookies).map(\.name)
    }

    @Test func cookiesAreInMemoryAndInOneConfigurationAlone() throws {
        let one = URLSessionConfiguration.isolated
        one.httpCookieStorage?.setCookie(try cookie())
        #expect(try cookies(of: one) == ["isolated"])
        // A file would be read again.
        #expect(try cookies(of: .isolated) == [])
        #expect(one.httpCookieStorage !== HTTPCookieStorage.shared)
    }

    @Test func eachConfigurationHasItsOwnCredentials() throws {
        let (one, other) = (URLSessionConfiguration.isolated, URLSessionConfiguration.isolated)
        let stores = [one.urlCredentialStorage, other.urlCredentialStorage, .shared].compactMap { $0 }
        #expect(Set(stores.map { ObjectIdentifier($0) }).count == 3)
    }

    @Test func nothingIsCached() {
        #expect(URLSessionConfiguration.isolated.urlCache == nil)
    }
}
