import Foundation
package import MoyaTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Formats a request as a `curl` command that can be pasted into a shell.
///
/// All text of the request is in double quotes, with the shell's special characters escaped. Credentials are masked by
/// default.
package enum CURLDescription {
    /// The text for a request without a method, or without a URL with a host.
    package static let unavailable = "$ curl command could not be created"

    /// The form of an exclamation mark in double quotes, where an interactive shell expands it from its history.
    private static let exclamationMark = "\"'!'\""

    /// Formats the command with one option per line.
    ///
    /// - Parameters:
    ///   - headers: The fields to send, merged from session and request, one per name. A `Cookie` field becomes a `-b`
    ///     option.
    ///   - body: The bytes to send; if they are not UTF-8, only their number is included.
    ///   - credential: The user name and password for a challenge.
    ///   - cookies: The cookies that the session adds, as `name=value; name=value`.
    ///   - showsSecrets: `true` to include credentials, cookies, and the secrets of the URL, the fields and the body.
    ///   - mask: The mask of the URL, the fields and the body.
    package static func text(
        method: String?,
        url: URL?,
        headers: HTTPHeaders,
        body: Data?,
        credential: (user: String, password: String)? = nil,
        cookies: String? = nil,
        showsSecrets: Bool = false,
        mask: SecretMask = .standard
    ) -> String {
        guard let method, let url, let host = url.host(percentEncoded: true), !host.isEmpty else { return unavailable }
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
            // curl omits a field that has nothing after its colon.
            lines.append("-H \(quoted(value.isEmpty ? "\(header.name);" : "\(header.name): \(value)"))")
        }
        if let body, !body.isEmpty { lines.append(option(for: showsSecrets ? body : mask.body(body))) }
        let address = url.absoluteString
        lines.append(quoted(showsSecrets ? address : mask.url(address)))
        return lines.joined(separator: " \\\n\t")
    }

    /// Formats a `URLRequest` of a request, with the fields, the cookies and the credential that its session adds.
    static func text(
        of urlRequest: URLRequest, sentBy request: Request, showsSecrets: Bool = false, mask: SecretMask = .standard
    ) -> String {
        let core = request.core
        let mask = mask.adding(fields: request.declaredCredentials)
        let realm = urlRequest.url?.host(percentEncoded: false)
        var headers = HTTPHeaders(core.defaultFields.map { HTTPHeader(name: $0.name, value: $0.value) })
        for (name, value) in (urlRequest.allHTTPHeaderFields ?? [:]).sorted(by: { $0.key < $1.key }) {
            headers.update(name: name, value: value)
        }
        let credential = core.storedCredential(for: urlRequest.url, .basic, realm: realm) ?? request.credential
        let known = credential.flatMap { credential in
            credential.user.flatMap { user in credential.password.map { (user: user, password: $0) } }
        }
        let engine = urlRequest.httpShouldHandleCookies ? core.cookies : nil
        return text(
            method: urlRequest.httpMethod, url: urlRequest.url, headers: headers, body: urlRequest.httpBody,
            credential: known, cookies: engine?.cookieHeader(for: HTTPRequest(urlRequest)), showsSecrets: showsSecrets,
            mask: mask)
    }

    private static func option(for body: Data) -> String {
        guard let text = String(data: body, encoding: .utf8), !text.utf8.contains(0) else {
            return "-d \(quoted("<\(body.count) bytes that are not text>"))"
        }
        // `-d` reads the file that is named after a leading @.
        return "\(text.utf8.first == UInt8(ascii: "@") ? "--data-raw" : "-d") \(quoted(text))"
    }

    /// Returns a word unchanged if it needs no quotes, otherwise in quotes.
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

    /// Returns the text in double quotes, with the shell's special characters escaped.
    static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\", "$", "`":
                quoted += "\\"
                quoted.unicodeScalars.append(scalar)
            case "!": quoted += exclamationMark
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
