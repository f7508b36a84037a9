package import Foundation
package import MoyaTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Says where a redirected request goes on (RFC 9110 section 15.4, the Fetch standard's HTTP-redirect fetch).
///
/// Keep one value for a request and all that follow from it: it counts the hops and remembers where they led.
package struct RedirectRules: Sendable {
    /// The next step after a response.
    package enum Decision: Sendable {
        /// Give it to the caller: it is no redirect, or says nowhere to go.
        case deliver
        /// Send this request to that URL; `keepsBody` says whether it goes with the body of the request before it.
        case follow(HTTPRequest, to: URL, keepsBody: Bool)
        /// Go no further.
        case refuse(Refusal)
    }

    /// The reason that a redirect is not followed.
    package enum Refusal: Sendable, Hashable {
        /// It leads from `https` to `http`.
        case insecure(URL)
        /// It leads to a URL that is neither `http` nor `https`.
        case unsupportedScheme(URL)
        /// It is one more than ``RedirectRules/maximumHops``.
        case tooManyHops
        /// It leads to a request that was sent twice already.
        case loop(URL)
    }

    /// The greatest number of redirects of one request: as many as browsers follow.
    package static let maximumHops = 20

    /// The fields that another origin does not get.
    var credentials = CredentialFields()
    private var hops = 0
    /// The URLs that the hops led to; empty, and so free, for a request that is not redirected.
    private var visits: [Visit: Int] = [:]

    private struct Visit: Hashable {
        var method: String
        var url: URL
    }

    /// Makes rules for a request that was not redirected yet.
    package init() {}

    /// Decides on the final response to a request, and counts the hop if it is to be followed.
    ///
    /// - Parameters:
    ///   - request: The request as it was sent.
    ///   - url: Its URL, with its fragment.
    ///   - status: The status code of the response.
    ///   - location: The value of the response's `Location` field.
    package mutating func decide(
        after request: HTTPRequest, at url: URL, status: Int, location: String?
    ) -> Decision {
        let old = url.absoluteURL
        guard Self.isRedirect(status), let location, let new = Self.resolve(location, from: old) else {
            return .deliver
        }
        let scheme = new.scheme?.lowercased()
        guard scheme == "http" || scheme == "https" else { return .refuse(.unsupportedScheme(new)) }
        guard let host = new.host(percentEncoded: true), !host.isEmpty else { return .deliver }
        if scheme == "http", old.scheme?.lowercased() == "https" { return .refuse(.insecure(new)) }
        if hops == Self.maximumHops { return .refuse(.tooManyHops) }

        let (next, keepsBody) = self.request(following: request, status: status, from: old, to: new)
        // Being sent back once is right: a server may set a cookie and redirect to the same URL.
        if hops == 0 { visits[Visit(method: request.method, url: old.withoutFragment)] = 1 }
        let visit = Visit(method: next.method, url: new.withoutFragment)
        if let count = visits[visit], count > 1 { return .refuse(.loop(new)) }
        visits[visit, default: 0] += 1
        hops += 1
        return .follow(next, to: new, keepsBody: keepsBody)
    }

    /// `true` if a status is one of the redirects that are followed.
    static func isRedirect(_ status: Int) -> Bool {
        switch status {
        case 301, 302, 303, 307, 308: true
        default: false
        }
    }

    /// The URL that `Location` names; one without a fragment takes that of the request (RFC 9110 section 10.2.2).
    private static func resolve(_ location: String, from base: URL) -> URL? {
        guard let new = URL(string: location, relativeTo: base)?.absoluteURL else { return nil }
        let changesOrigin = !isSameOrigin(base, new)
        let inheritsFragment = base.fragment != nil && new.fragment == nil
        let dropsUser = changesOrigin && (new.user != nil || new.password != nil)
        guard inheritsFragment || dropsUser else { return new }
        var components = URLComponents(url: new, resolvingAgainstBaseURL: true)
        if inheritsFragment {
            components?.percentEncodedFragment =
                URLComponents(
                    url: base, resolvingAgainstBaseURL: true)?.percentEncodedFragment
        }
        if dropsUser {
            // A server does not choose whose name another server gets to see.
            components?.user = nil
            components?.password = nil
        }
        return components?.url
    }

    private func request(
        following request: HTTPRequest, status: Int, from old: URL, to new: URL
    ) -> (HTTPRequest, keepsBody: Bool) {
        var next = request
        next.url = new.bareText
        let becomesGET =
            status == 303
            ? request.method != "GET" && request.method != "HEAD"
            : (status == 301 || status == 302) && request.method == "POST"
        var dropped: [String] = []
        if becomesGET {
            next.method = "GET"
            next.body = .none
            next.urlRequest?.httpBody = nil
            next.urlRequest?.httpBodyStream = nil
            dropped += Self.contentFields
        }
        if !Self.isSameOrigin(old, new) {
            dropped.append("Host")
            next.fields.removeAll { credentials.contains($0.name) }
            next.authentication = nil
        }
        if !dropped.isEmpty {
            next.fields.removeAll { field in dropped.contains { ASCII.equalIgnoringCase($0, field.name) } }
        }
        return (next, !becomesGET)
    }

    /// Fields that describe a body, and are wrong without it.
    private static let contentFields = [
        "Content-Type", "Content-Length", "Content-Encoding", "Content-Language", "Content-Location",
        "Content-Disposition", "Content-Range", "Content-MD5", "Content-Digest", "Repr-Digest", "Digest",
        "Transfer-Encoding", "Trailer", "Expect", "Last-Modified",
    ]

    /// `true` if two URLs have the same scheme, host and port (RFC 6454).
    static func isSameOrigin(_ one: URL, _ other: URL) -> Bool {
        one.scheme?.lowercased() == other.scheme?.lowercased()
            && one.host(percentEncoded: true)?.lowercased() == other.host(percentEncoded: true)?.lowercased()
            && one.portOrDefault == other.portOrDefault
    }
}

extension RedirectRules.Refusal {
    /// The error that a call ends with when it is not to get the redirect itself.
    package var error: SessionError {
        let (code, text): (URLError.Code, String) =
            switch self {
            case .insecure(let url):
                (
                    .secureConnectionFailed,
                    "The server redirects from https to http, to \(Self.masked(url)); that is not followed."
                )
            case .unsupportedScheme(let url):
                (
                    .unsupportedURL,
                    "The server redirects to \(Self.masked(url)), which is neither http nor https."
                )
            case .tooManyHops:
                (
                    .httpTooManyRedirects,
                    "The server redirects more than \(RedirectRules.maximumHops) times."
                )
            case .loop(let url):
                (
                    .httpTooManyRedirects,
                    "The server redirects in a circle, to \(Self.masked(url)) again."
                )
            }
        return .sessionTaskFailed(error: URLError(code, userInfo: [NSLocalizedDescriptionKey: text]))
    }

    private static func masked(_ url: URL) -> String { SecretMask.standard.url(url.absoluteString) }
}

extension URL {
    /// The text without what is never sent: a fragment, a user name, a password.
    var bareText: String {
        let text = absoluteString
        guard text.utf8.contains(where: { $0 == UInt8(ascii: "#") || $0 == UInt8(ascii: "@") }),
            var components = URLComponents(url: self, resolvingAgainstBaseURL: true)
        else { return text }
        components.fragment = nil
        components.user = nil
        components.password = nil
        return components.string ?? text
    }

    fileprivate var portOrDefault: Int? {
        if let port { return port }
        return switch scheme?.lowercased() {
        case "http": 80
        case "https": 443
        default: nil
        }
    }

    fileprivate var withoutFragment: URL {
        guard fragment != nil else { return self }
        var components = URLComponents(url: self, resolvingAgainstBaseURL: true)
        components?.fragment = nil
        return components?.url ?? self
    }
}
