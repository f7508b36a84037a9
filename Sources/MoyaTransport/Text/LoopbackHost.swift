/// The hosts of the machine itself, whose traffic no other machine can read.
package enum LoopbackHost {
    /// `true` if a host is `localhost`, in 127.0.0.0/8, or `::1`.
    ///
    /// Names below `localhost` are not: systems may ask a name server for them, contrary to RFC 6761 section 6.3.
    package static func contains(_ host: String) -> Bool {
        // A name server may be asked for a name with a trailing dot.
        guard host.last != ".", let host = CanonicalHost.of(host) else { return false }
        // The canonical form is an address if it consists of numbers; `127.08.0.1` and the like are none, and have no form.
        let isAddress = host.utf8.allSatisfy { ASCII.isDigit($0) || $0 == UInt8(ascii: ".") }
        return host == "localhost" || host == "::1" || isAddress && host.hasPrefix("127.")
    }
}
