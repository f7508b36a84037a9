/// The hosts of the machine itself, whose traffic no other machine can read.
package enum LoopbackHost {
    /// `true` if a host is `localhost`, in 127.0.0.0/8, or `::1`.
    ///
    /// Names below `localhost` are not: systems may ask a name server for them, contrary to RFC 6761 section 6.3.
    package static func contains(_ host: String) -> Bool {
        let host = host.lowercased()
        if host == "localhost" || host == "::1" || host == "[::1]" { return true }
        guard host.hasPrefix("127.") else { return false }
        let bytes = host.split(separator: ".", omittingEmptySubsequences: false)
        return bytes.count == 4 && bytes.allSatisfy { $0.utf8.first != UInt8(ascii: "+") && UInt8($0) != nil }
    }
}
