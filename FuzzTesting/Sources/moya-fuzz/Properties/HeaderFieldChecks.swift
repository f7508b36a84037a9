import Foundation

@testable import MoyaSession
@testable import MoyaTransport

/// Challenges of `WWW-Authenticate`, written again and read back.
@Sendable func checkChallenge(_ bytes: [UInt8]) throws {
    let text = String(decoding: bytes, as: UTF8.self)
    let challenges = AuthenticationChallenge.parse([text])
    for challenge in challenges {
        try expect(ASCII.isToken(challenge.scheme), "the scheme \(challenge.scheme)")
        try expect(challenge.token == nil || challenge.token?.isEmpty == false, "an empty token")
        for parameter in challenge.parameters {
            try expect(ASCII.isToken(parameter.name), "the parameter \(parameter.name)")
        }
    }
    let written = challenges.map(rendered).joined(separator: ", ")
    try expect(AuthenticationChallenge.parse([written]) == challenges, "\(written), of \(text), is read otherwise")
    let both = AuthenticationChallenge.parse([text, "Basic realm=\"x\""])
    try expect(
        both.last?.scheme == "Basic" && both.count == challenges.count + 1, "a field runs into the next: \(text)")
}

private func rendered(_ challenge: AuthenticationChallenge) -> String {
    var parameters = challenge.parameters.map { parameter in
        let quoted = parameter.value.unicodeScalars.reduce(into: "") { text, scalar in
            if scalar == "\"" || scalar == "\\" { text.unicodeScalars.append("\\") }
            text.unicodeScalars.append(scalar)
        }
        return "\(parameter.name)=\"\(quoted)\""
    }
    if let token = challenge.token { parameters.insert(token, at: 0) }
    return ([challenge.scheme] + [parameters.joined(separator: ", ")].filter { !$0.isEmpty }).joined(separator: " ")
}

/// The directives of `Cache-Control`.
@Sendable func checkCacheControl(_ bytes: [UInt8]) throws {
    let text = String(decoding: bytes, as: UTF8.self)
    let control = CacheControl([text])
    for seconds in [control.maxAge, control.minFresh].compactMap({ $0 }) {
        try expect(seconds >= 0 && seconds <= 2_147_483_648, "\(seconds) seconds in \(text)")
    }
    if let stale = control.maxStale { try expect(stale >= 0, "\(stale) seconds in \(text)") }
    try expect(CacheControl(["no-store", text]).noStore, "a field takes back the one before it")
    try expect(CacheControl(["no-store, " + text]).noStore, "a directive takes back the one before it")
    try expect(CacheControl([text, "max-age=7"]).maxAge != nil, "an age is lost")
    // Directives are case-insensitive, and unknown ones have no effect.
    try expect(CacheControl([ASCIIText.uppercased(text)]) == control, "case counts in \(text)")
    try expect(CacheControl(["x-own=1, " + text]) == control, "an unknown directive counts before \(text)")
}

private enum ASCIIText {
    static func uppercased(_ text: String) -> String {
        String(decoding: text.utf8.map { (0x61...0x7A).contains($0) ? $0 ^ 0x20 : $0 }, as: UTF8.self)
    }
}

/// The name of a file, by `Content-Disposition` in the first line or a URL in the second.
@Sendable func checkFileName(_ bytes: [UInt8]) throws {
    var input = FuzzInput(bytes)
    let disposition = input.text()
    let path = input.text()
    guard let url = URL(string: "https://example.com/\(path)") ?? URL(string: "https://example.com/") else { return }
    for contentDisposition in [disposition, nil] {
        for mimeType in ["application/json", nil] {
            let name = SuggestedFileName.name(contentDisposition: contentDisposition, url: url, mimeType: mimeType)
            try checkHarmless(name)
            try expect(SuggestedFileName.harmless(name) == name, "\(name) is not harmless when looked at again")
        }
    }
}

private func checkHarmless(_ name: String) throws {
    let bytes = Array(name.utf8)
    try expect(!bytes.isEmpty && bytes.count <= 255, "a name of \(bytes.count) bytes")
    try expect(!bytes.contains { $0 == 0x2F || $0 == 0x5C || $0 < 0x20 || $0 == 0x7F }, "\(name) leads elsewhere")
    try expect(bytes.first != 0x2E, "\(name) is hidden")
    try expect(bytes.last != 0x2E && bytes.last != 0x20, "\(name) ends in what Windows drops")
    try expect(
        !name.unicodeScalars.contains { (0x202A...0x202E).contains($0.value) }, "\(name) is shown in another order")
    let stem = name.utf8.prefix { $0 != 0x2E }.map { $0 >= 0x61 && $0 <= 0x7A ? $0 ^ 0x20 : $0 }
    try expect(
        !["CON", "PRN", "AUX", "NUL", "COM1", "LPT9"].contains(String(decoding: stem, as: UTF8.self)),
        "\(name) is a device")
}
