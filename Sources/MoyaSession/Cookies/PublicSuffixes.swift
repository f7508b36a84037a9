import Foundation

/// Domains under which anybody may have a name, and which no cookie may span: `com`, `co.uk`, `github.io`.
///
/// The Public Suffix List has some ten thousand and grows; where the system keeps a copy that is used, and the suffixes
/// that are known here are taken with it, so that a machine with nothing installed is safe as well.
package struct PublicSuffixes: Sendable {
    /// What is known here, and what the system's list says, which is read when it is first needed.
    package static let system = PublicSuffixes { Self.systemRules }

    /// The suffixes that are known here, as on a machine without a list.
    package static let builtIn = PublicSuffixes { nil }

    private let list: @Sendable () -> PublicSuffixRules?

    private init(list: @escaping @Sendable () -> PublicSuffixRules?) { self.list = list }

    /// The suffixes known here and those of a list.
    package init(rules: PublicSuffixRules) {
        self.init { rules }
    }

    /// Whether a domain is a public suffix.
    ///
    /// - Parameter domain: In lower case and ASCII, with or without a dot at its end.
    package func isPublicSuffix(_ domain: String) -> Bool {
        let domain = domain.utf8.last == UInt8(ascii: ".") ? String(domain.dropLast()) : domain
        guard let dot = domain.utf8.firstIndex(of: UInt8(ascii: ".")) else { return true }
        if Self.common.contains(domain) { return true }
        let parent = String(domain[dot...].dropFirst())
        if Self.commonParents.contains(parent) { return true }
        if let list = list() { return list.isPublicSuffix(domain, parent: parent) }
        // Where nothing is known of a country, what registries usually offer is refused: a cookie that is set for its
        // own host instead of one that half a country gets.
        return parent.utf8.count == 2 && Self.usualSecondLevels.contains(String(domain[..<dot]))
    }

    /// The suffix of a host and the one label before it; `nil` where the host is a suffix itself.
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
            guard let size = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int, size <= 8 << 20,
                let data = FileManager.default.contents(atPath: path)
            else { continue }
            let rules = PublicSuffixRules(list: data)
            if !rules.isEmpty { return rules }
        }
        return nil
    }()
}
