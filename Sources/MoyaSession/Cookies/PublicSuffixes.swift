/// Domains under which anyone can register names, and which no cookie may span: `com`, `co.uk`, `github.io`.
///
/// The list as of the build is always searched (``PublicSuffixTable``); that of libpsl, which may be newer, adds to it.
package struct PublicSuffixes: Sendable {
    /// The list as of the build and that of libpsl.
    package static let system = PublicSuffixes(searchesLibrary: true)

    /// The list as of the build, as on a machine without libpsl.
    package static let builtIn = PublicSuffixes(searchesLibrary: false)

    private let searchesLibrary: Bool

    private init(searchesLibrary: Bool) { self.searchesLibrary = searchesLibrary }

    /// `true` if a domain is a public suffix.
    ///
    /// - Parameter domain: The domain in lower case and ASCII, with or without a trailing dot.
    package func isPublicSuffix(_ domain: String) -> Bool {
        let domain = domain.utf8.last == UInt8(ascii: ".") ? String(domain.dropLast()) : domain
        guard domain.utf8.contains(UInt8(ascii: ".")) else { return true }
        return PublicSuffixTable.isPublicSuffix(domain) || searchesLibrary && isSuffixOfLibrary(domain)
    }

    private func isSuffixOfLibrary(_ domain: String) -> Bool {
        #if os(Linux)
        PublicSuffixLibrary.loaded?.isPublicSuffix(domain) ?? false
        #else
        false
        #endif
    }

    /// `true` if a registry registers names directly below a domain, by ICANN's section of the built-in list: `com`,
    /// `co.uk`.
    ///
    /// Below a suffix of the private section, such as `github.io`, all hosts belong to one operator. Single-label names
    /// for private networks are excluded (RFC 6761, RFC 6762 appendix G).
    ///
    /// - Parameter domain: The domain in lower case and ASCII, without a trailing dot.
    package static func isRegistry(_ domain: String) -> Bool {
        guard domain.utf8.contains(UInt8(ascii: ".")) else { return !localNames.contains(domain) }
        return PublicSuffixTable.isPublicSuffix(domain, countsPrivate: false)
    }

    private static let localNames: Set = [
        "corp", "example", "home", "internal", "intranet", "invalid", "lan", "local", "localhost", "private", "test",
    ]

    /// The suffix of a host with one more label; `nil` if the host is itself a suffix.
    package func registrableDomain(of host: String) -> String? {
        var domain = host[...]
        var owned: Substring?
        while !isPublicSuffix(String(domain)) {
            owned = domain
            guard let dot = domain.utf8.firstIndex(of: UInt8(ascii: ".")) else { break }
            domain = domain[dot...].dropFirst()
        }
        return owned.map(String.init)
    }
}
