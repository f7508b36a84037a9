package import Foundation
import MoyaTransport

/// Writes a request as a `curl` command that may be pasted into a shell.
///
/// Everything that came with the request stands between double quotes, with what a shell would act on escaped.
/// Credentials that let a reader act as the user are masked by default.
package enum CURLDescription {
    /// The text for a request that has no URL with a host, or no method.
    package static let unavailable = "$ curl command could not be created"

    /// Writes the command, an option a line.
    ///
    /// - Parameters:
    ///   - headers: The fields that are sent, the session's and the request's, one per name. A `Cookie` field is written
    ///     as cookies.
    ///   - body: The bytes that are sent; only their number is written of those that are not UTF-8.
    ///   - credential: The user name and password that answer a challenge.
    ///   - cookies: The cookies that the session adds, as `name=value; name=value`.
    ///   - showsSecrets: `true` if credentials, cookies, and the secrets of the URL, the fields and the body are
    ///     written out.
    package static func text(
        method: String?,
        url: URL?,
        headers: HTTPHeaders,
        body: Data?,
        credential: (user: String, password: String)? = nil,
        cookies: String? = nil,
        showsSecrets: Bool = false
    ) -> String {
        guard let method, let url, let host = url.host(percentEncoded: true), !host.isEmpty else { return unavailable }
        let mask = SecretMask.standard
        var lines = ["$ curl -v", "-X \(word(method))"]
        if let credential {
            let text = showsSecrets ? "\(credential.user):\(credential.password)" : SecretMask.text
            lines.append("-u \(word(text))")
        }
        let allCookies = [cookies, headers["Cookie"]].compactMap(\.self).filter { !$0.isEmpty }
        if !allCookies.isEmpty {
            lines.append("-b \(quoted(showsSecrets ? allCookies.joined(separator: "; ") : SecretMask.text))")
        }
        for header in headers where !ASCII.equalIgnoringCase(header.name, "Cookie") {
            let value = showsSecrets ? header.value : mask.value(header.value, ofField: header.name)
            // A colon with nothing behind it would make curl leave the field out.
            lines.append("-H \(quoted(value.isEmpty ? "\(header.name);" : "\(header.name): \(value)"))")
        }
        if let body, !body.isEmpty { lines.append(option(for: showsSecrets ? body : mask.body(body))) }
        let address = url.absoluteString
        lines.append(quoted(showsSecrets ? address : mask.url(address)))
        return lines.joined(separator: " \\\n\t")
    }

    private static func option(for body: Data) -> String {
        guard let text = String(data: body, encoding: .utf8), !text.utf8.contains(0) else {
            return "-d \(quoted("<\(body.count) bytes that are not text>"))"
        }
        // `-d` would take what follows an @ for the name of a file.
        return "\(text.utf8.first == UInt8(ascii: "@") ? "--data-raw" : "-d") \(quoted(text))"
    }

    /// A word as it is when no shell reads anything into it, else between quotes.
    private static func word(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: "-._:@%+,/=".utf8.contains(byte)
            }
        }
        return isPlain && !text.isEmpty ? text : quoted(text)
    }

    /// The text between double quotes, such that a shell takes it for what it is.
    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\", "$", "`":
                quoted += "\\"
                quoted.unicodeScalars.append(scalar)
            // An interactive shell looks for it in its history, even between double quotes.
            case "!": quoted += "\"'!'\""
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
