import Foundation
import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Hides secrets in what is logged.
struct LogMask {
    let isSecret: NetworkLoggerPlugin.Configuration.SecretPredicate

    private static let secretFields: Set<String> = ["authorization", "proxy-authorization", "cookie", "set-cookie"]
    private static let secretWords = [
        "token", "password", "passwd", "secret", "apikey", "api-key", "api_key", "authorization", "credential",
        "session", "signature", "private_key", "privatekey", "jwt", "otp",
    ]

    static func looksLikeSecret(_ name: String) -> Bool {
        let name = name.lowercased()
        return secretFields.contains(name) || secretWords.contains { name.contains($0) }
    }

    func fields(_ fields: [String: String]) -> [String: String] {
        Dictionary(uniqueKeysWithValues: fields.map { ($0.key, isSecret($0.key) ? SecretMask.text : $0.value) })
    }

    // Bytes, here and in a form, and not characters: an accent that follows a delimiter makes one character with it.
    func url(_ url: String) -> String {
        let url = SecretMask.maskingUserInformation(in: url)
        let end = url.utf8.firstIndex(of: UInt8(ascii: "#")) ?? url.endIndex
        let question = url.utf8[..<end].firstIndex(of: UInt8(ascii: "?")) ?? end
        return String(url[..<question]) + maskedForm(url[question..<end]) + maskedForm(url[end...])
    }

    /// A query or a fragment with the sign that it begins with: authorization servers hand tokens over in both
    /// (RFC 6749 section 4.2.2).
    private func maskedForm(_ part: Substring) -> String {
        guard !part.isEmpty else { return "" }
        let first = part.utf8.index(after: part.startIndex)
        return String(part[..<first]) + form(part[first...])
    }

    /// Text with the secrets of the URLs in it masked.
    func text(_ text: String) -> String {
        guard text.utf8.contains(where: { "?@#".utf8.contains($0) }) else { return text }
        var masked = ""
        var rest = text[...]
        while let first = rest.first {
            let run = rest.prefix { Self.endsURL($0) == Self.endsURL(first) }
            masked += Self.endsURL(first) ? String(run) : url(String(run))
            rest = rest[run.endIndex...]
        }
        return masked
    }

    private static func endsURL(_ character: Character) -> Bool {
        character.isWhitespace || "\"'<>".contains(character)
    }

    /// The body with the secrets of JSON keys and form fields masked; as it is when it holds none.
    func body(_ data: Data) -> Data {
        guard let first = data.first(where: { !Self.isSpace($0) }) else { return data }
        if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") { return json(data) }
        guard data.contains(UInt8(ascii: "=")), let text = String(data: data, encoding: .utf8),
            !text.trimmingCharacters(in: .whitespacesAndNewlines).contains(where: \.isNewline)
        else { return data }
        return Data(form(text[...]).utf8)
    }

    /// What Foundation prints on Apple platforms, on every platform.
    func description(of response: HTTPURLResponse) -> String {
        let fields = response.allHeaderFields.reduce(into: [String: String]()) { fields, field in
            fields["\(field.key)"] = "\(field.value)"
        }
        let lines = self.fields(fields).sorted { $0.key < $1.key }.map { "    \"\($0.key)\" = \"\($0.value)\";\n" }
        return "<NSHTTPURLResponse> { URL: \(url(response.url?.absoluteString ?? "")) } "
            + "{ Status Code: \(response.statusCode), Headers {\n\(lines.joined())} }"
    }

    private func form(_ text: Substring) -> String {
        text.utf8.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false).map { bytes in
            let pair = Substring(bytes)
            guard let equals = bytes.firstIndex(of: UInt8(ascii: "=")) else { return String(pair) }
            let name = String(pair[..<equals])
            guard isSecret(name.removingPercentEncoding ?? name) else { return String(pair) }
            return "\(name)=\(SecretMask.text)"
        }.joined(separator: "&")
    }

    private func json(_ data: Data) -> Data {
        var scanner = JSONSecretScanner(bytes: [UInt8](data), masksSecret: isSecret)
        return scanner.masked().map { Data($0) } ?? data
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}
