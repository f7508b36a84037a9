import Foundation

@testable import MoyaSession
@testable import MoyaTransport

/// Keys of trust managers, origins, and hosts: one text for all.
@Sendable func checkHost(_ bytes: [UInt8]) throws {
    let text = String(decoding: bytes, as: UTF8.self)
    let shown = text.debugDescription
    let host = CanonicalHost.of(text)
    if let host {
        try expect(CanonicalHost.of(host) == host, "\(shown) is \(host), and that is another")
        try expect(host.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x25 && $0 != 0x2A }, "\(shown) is \(host)")
        try expect((1...253).contains(host.utf8.count), "\(shown) has \(host.utf8.count) bytes")
        let inURL = host.contains(":") ? "[\(host)]" : host
        try expect(HTTPOrigin(setting: "https://\(inURL):8443")?.host == host, "\(shown) is lost in an origin")
    }

    let pattern = HostPattern(key: text)
    let isHost = pattern?.isWildcard == false
    try expect(isHost == (host != nil), "\(shown) is read in two ways: \(pattern as Any), \(host as Any)")
    guard let pattern else { return }
    guard let table = try? HostPattern.table(of: [text: 1]) else {
        let isRegistrys = pattern.isWildcard && PublicSuffixes.isRegistry(pattern.host)
        return try expect(isRegistrys, "\(shown) is refused")
    }
    let matching = pattern.isWildcard ? "a.\(pattern.host)" : text
    // One label more may be one too many.
    if CanonicalHost.of(matching) != nil {
        try expect(HostPattern.value(for: matching, in: table) == 1, "\(shown) does not match \(matching)")
    }
    try expect(HostPattern.value(for: "a.b.\(pattern.host)", in: table) == nil, "\(shown) matches two labels more")
}
