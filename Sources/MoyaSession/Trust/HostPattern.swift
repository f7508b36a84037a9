import MoyaTransport

/// A key of a trust manager: one host, or every host with exactly one more label.
struct HostPattern: Hashable {
    let host: String
    /// `true` if the key begins with `*.`.
    let isWildcard: Bool

    private init(_ host: String, isWildcard: Bool) {
        self.host = host
        self.isWildcard = isWildcard
    }

    /// Parses a key; `nil` if it can match no host.
    init?(key: String) {
        let isWildcard = key.hasPrefix("*.")
        guard let host = CanonicalHost.of(isWildcard ? String(key.dropFirst(2)) : key) else { return nil }
        if isWildcard, Self.isAddress(host) { return nil }
        self.init(host, isWildcard: isWildcard)
    }

    /// `true` if a canonical host is an IP address, which has no labels: a name's last label is never a number.
    private static func isAddress(_ host: String) -> Bool {
        host.contains(":") || host.split(separator: ".").last?.allSatisfy(\.isNumber) == true
    }

    /// Values by key; throws for a key that can match no host, for a wildcard on a public suffix, and for two keys of
    /// one host.
    static func table<Value>(of values: [String: Value]) throws(SessionError) -> [HostPattern: Value] {
        var table: [HostPattern: Value] = [:]
        var keys: [HostPattern: String] = [:]
        // Sorted, so that the same one of several errors is always reported.
        for (key, value) in values.sorted(by: { $0.key < $1.key }) {
            guard let pattern = HostPattern(key: key) else {
                throw invalid(
                    key,
                    "names no host, so that it would match nothing. Give a name or an address without scheme, port and "
                        + "path, or *. and a name")
            }
            if pattern.isWildcard, PublicSuffixes.isRegistry(pattern.host) {
                throw invalid(
                    key,
                    "matches hosts of unrelated owners, as \(pattern.host) is a public suffix. Name the hosts, or *. "
                        + "and a domain of yours")
            }
            if let other = keys.updateValue(key, forKey: pattern) {
                throw invalid(key, "names the same host as the key \(other.debugDescription). Leave one of them out")
            }
            table[pattern] = value
        }
        return table
    }

    /// The value of a host: its own, otherwise that of a wildcard.
    static func value<Value>(for host: String, in table: [HostPattern: Value]) -> Value? {
        guard let host = CanonicalHost.of(host) else { return nil }
        if let own = table[HostPattern(host, isWildcard: false)] { return own }
        guard let dot = host.firstIndex(of: ".") else { return nil }
        return table[HostPattern(String(host[host.index(after: dot)...]), isWildcard: true)]
    }

    private static func invalid(_ key: String, _ problem: String) -> SessionError {
        .serverTrustEvaluationFailed(
            reason: .invalidEvaluator(setting: "key \(key.debugDescription)", problem: problem))
    }
}
