import Testing

@testable import MoyaSession

@Suite struct PublicSuffixesTests {
    @Test(arguments: [
        "com", "local", "co.uk", "com.au", "co.jp", "com.br", "github.io", "herokuapp.com", "blogspot.com",
        "x.compute.amazonaws.com", "com.", "co.uk.", "anything.bd", "xn--p1ai",
    ])
    func publicRegistriesAreSuffixesOnEveryPlatform(domain: String) {
        #expect(PublicSuffixes.builtIn.isPublicSuffix(domain))
        #expect(PublicSuffixes.system.isPublicSuffix(domain))
    }

    @Test(arguments: [
        "example.com", "example.co.uk", "me.github.io", "a.b.example.com.au", "amazon.com", "wordpress.com",
        "github.com", "google.com", "bbc.co.uk", "example.de", "t.co", "x.y.compute.amazonaws.com",
    ])
    func aSiteIsNoSuffixAnywhere(domain: String) {
        #expect(!PublicSuffixes.builtIn.isPublicSuffix(domain))
        #expect(!PublicSuffixes.system.isPublicSuffix(domain))
    }

    @Test(arguments: [
        ("www.example.com", "example.com"), ("a.b.example.co.uk", "example.co.uk"), ("me.github.io", "me.github.io"),
        ("x.me.github.io", "me.github.io"), ("example.com", "example.com"),
    ])
    func theRegistrableDomainIsTheSuffixAndOneLabel(host: String, domain: String) {
        #expect(PublicSuffixes.builtIn.registrableDomain(of: host) == domain)
    }

    @Test(arguments: ["com", "co.uk", "localhost", ""])
    func aSuffixHasNoRegistrableDomain(host: String) {
        #expect(PublicSuffixes.builtIn.registrableDomain(of: host) == nil)
    }
}
