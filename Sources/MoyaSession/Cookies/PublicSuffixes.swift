import MoyaTransport

/// Domains under which anyone can register names, and which no cookie may span: `com`, `co.uk`, `github.io`.
///
/// The list as of the build is always searched (``PublicSuffixTable``); a newer list of the system adds to it: that of
/// libpsl, otherwise a file.
package struct PublicSuffixes: Sendable {
    /// The list as of the build and that of the system, which is read on first use.
    package static let system = PublicSuffixes { domain in
        #if os(Linux)
        if let library = PublicSuffixLibrary.loaded { return library.isPublicSuffix(domain) }
        #endif
        return systemRules?.isPublicSuffix(domain) ?? false
    }

    /// The list as of the build, as on a machine without one.
    package static let builtIn = PublicSuffixes { _ in false }

    private let isAlsoSuffix: @Sendable (String) -> Bool

    private init(isAlsoSuffix: @escaping @Sendable (String) -> Bool) { self.isAlsoSuffix = isAlsoSuffix }

    /// The list as of the build and an additional one.
    package init(rules: PublicSuffixRules) {
        self.init { rules.isPublicSuffix($0) }
    }

    /// `true` if a domain is a public suffix.
    ///
    /// - Parameter domain: The domain in lower case and ASCII, with or without a trailing dot.
    package func isPublicSuffix(_ domain: String) -> Bool {
        let domain = domain.utf8.last == UInt8(ascii: ".") ? String(domain.dropLast()) : domain
        guard domain.utf8.contains(UInt8(ascii: ".")) else { return true }
        return PublicSuffixTable.isPublicSuffix(domain) || isAlsoSuffix(domain)
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

    // MARK: The system's list

    private static let systemRules: PublicSuffixRules? = {
        let names = ["public_suffix_list.dat", "effective_tld_names.dat"]
        let directories = ["/usr/share/publicsuffix", "/usr/local/share/publicsuffix", "/usr/share/publicsuffix-list"]
        for path in directories.flatMap({ directory in names.map { "\(directory)/\($0)" } }) {
            guard let file = try? RegularFile(at: path), let data = try? file.contents(limit: 8 << 20) else { continue }
            let rules = PublicSuffixRules(list: data)
            if !rules.isEmpty { return rules }
        }
        return nil
    }()
}
