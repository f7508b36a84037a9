import Foundation

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A `Set-Cookie` field from one of a few origins.
@Sendable func checkCookie(_ bytes: [UInt8]) throws {
    var input = FuzzInput(bytes)
    let origins = [
        "https://example.com/", "http://example.com/a/b", "https://www.example.co.uk/x/", "http://127.0.0.1:8080/",
        "https://[::1]/p", "https://a.b.c.example.org/deep/er",
    ]
    guard let url = URL(string: origins[input.number(below: origins.count)]), let origin = CookieOrigin(url: url) else {
        return
    }
    let text = input.remainder()
    let now = Date(timeIntervalSince1970: 1_700_000_000)
    guard let field = SetCookie(parsing: text, now: now) else { return }

    try checkParts(of: field, now: now)
    let again = SetCookie(parsing: rendered(field), now: now)
    try expect(
        again?.name == field.name && again?.value == field.value,
        "\(field) is read again as \(String(describing: again))")

    let rules = CookieRules(suffixes: .builtIn)
    guard let placed = rules.place(field, from: origin, among: []) else { return }
    let domain = placed.domain.hasPrefix(".") ? String(placed.domain.dropFirst()) : placed.domain
    try expect(
        origin.host == domain || origin.host.hasSuffix("." + domain),
        "\(origin.host) sets a cookie for \(placed.domain)")
    try expect(placed.isHostOnly || domain.contains("."), "a cookie for all of \(placed.domain)")
    try expect(!field.isSecure || origin.isSecure, "an insecure origin sets a Secure cookie")
    if field.name.lowercased().hasPrefix("__host-") {
        try expect(placed.isHostOnly && field.isSecure && placed.path == "/", "\(field.name) breaks its promise")
    }
    guard let cookie = placed.cookie else { return }
    try expect(cookie.name == field.name && cookie.value == field.value, "Foundation changes \(field) to \(cookie)")
    let goesBack = CookieRules.sends(cookie, to: origin, at: now)
    if goesBack {
        try expect(!cookie.isSecure || origin.isSecure, "a Secure cookie goes to \(url)")
        try expect(cookie.expiresDate.map { $0 > now } ?? true, "a cookie that has ended is sent")
    }
    if let other = URL(string: "https://elsewhere.net/"), let elsewhere = CookieOrigin(url: other) {
        try expect(!CookieRules.sends(cookie, to: elsewhere, at: now), "\(cookie) goes elsewhere")
    }
}

private func checkParts(of field: SetCookie, now: Date) throws {
    let sent = [field.name, field.value]
    try expect(!sent.allSatisfy(\.isEmpty), "an empty cookie")
    try expect(sent.reduce(0) { $0 + $1.utf8.count } <= 4096, "a cookie of too many bytes")
    for text in sent {
        try expect(
            !text.utf8.contains { ($0 < 0x20 && $0 != 0x09) || $0 == 0x7F || $0 == 0x3B }, "control bytes in \(sent)")
        try expect(trimmingBlanks(text.utf8) == Array(text.utf8), "blanks around \(sent)")
    }
    try expect(!field.name.utf8.contains(0x3D), "an equals sign in the name \(field.name)")
    if let expires = field.expires { try expect(expires <= now + 400 * 86400, "a cookie lives until \(expires)") }
    if let path = field.path { try expect(path.utf8.first == 0x2F, "the path \(path)") }
}

private func rendered(_ field: SetCookie) -> String {
    field.name.isEmpty && !field.value.utf8.contains(0x3D) ? field.value : "\(field.name)=\(field.value)"
}
