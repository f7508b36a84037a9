import Foundation
package import MoyaTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Computes the next request of a redirect (RFC 9110 section 15.4, HTTP-redirect fetch of the Fetch standard).
///
/// Use one value for a request and all its follow-ups: it counts the hops and records their URLs.
package struct RedirectRules: Sendable {
    /// The next step after a response.
    package enum Decision: Sendable {
        /// Deliver it: it is not a redirect, or has no destination.
        case deliver
        /// Send this request to that URL; `keepsBody` tells whether it has the body of the previous request.
        case follow(HTTPRequest, to: URL, keepsBody: Bool)
        /// Stop, unless a handler changes this request.
        case refuse(Refusal, HTTPRequest, to: URL, keepsBody: Bool)
    }

    /// The reason that a redirect is not followed.
    package enum Refusal: Sendable, Hashable {
        /// The redirect leads from `https` to `http`.
        case insecure(URL)
        /// The redirect leads to a URL that is neither `http` nor `https`.
        case unsupportedScheme(URL)
        /// The redirect leads from another origin into a Unix domain socket.
        case unixSocket(URL)
        /// The redirect exceeds ``RedirectRules/maximumHops``.
        case tooManyHops
        /// The redirect leads to a request that was already sent twice.
        case loop(URL)
    }

    /// The maximum number of redirects of one request, as in browsers.
    package static let maximumHops = 20

    /// The fields that are not sent to another origin.
    var credentials = CredentialFields()
    /// The origins that the session reaches through Unix domain sockets.
    var unixSocketOrigins: Set<HTTPOrigin> = []
    private var hops = 0
    /// The URLs of the hops; empty, and so free, for a request without redirects.
    private var visits: [Visit: Int] = [:]

    private struct Visit: Hashable {
        var method: String
        var url: URL
    }

    /// Makes rules for a request without redirects so far.
    package init() {}

    /// Decides on the final response to a request, and counts the hop.
    ///
    /// - Parameters:
    ///   - request: The request as sent.
    ///   - url: Its URL, including the fragment.
    ///   - status: The status code of the response.
    ///   - location: The value of the response's `Location` field.
    package mutating func decide(
        after request: HTTPRequest, at url: URL, status: Int, location: String?
    ) -> Decision {
        let old = url.absoluteURL
        guard Self.isRedirect(status), let location, let new = Self.resolve(location, from: old) else {
            return .deliver
        }
        if new.isHTTP { guard let host = new.host(percentEncoded: true), !host.isEmpty else { return .deliver } }
        if hops == 0 { visits[Visit(method: request.method, url: old.withoutFragment)] = 1 }
        hops += 1
        let (next, keepsBody) = self.request(following: request, status: status, from: old, to: new)
        if let refusal = refusal(of: next, from: old, to: new) {
            return .refuse(refusal, next, to: new, keepsBody: keepsBody)
        }
        return .follow(next, to: new, keepsBody: keepsBody)
    }

    /// The reason that a redirect is not followed; `nil` if it is, which counts the visit.
    private mutating func refusal(of next: HTTPRequest, from old: URL, to new: URL) -> Refusal? {
        // First, because a handler may change a request that is refused for another reason.
        if hops > Self.maximumHops { return .tooManyHops }
        guard new.isHTTP else { return .unsupportedScheme(new) }
        if new.scheme?.lowercased() == "http", old.scheme?.lowercased() == "https" { return .insecure(new) }
        if leadsIntoUnixSocket(from: old, to: new) { return .unixSocket(new) }
        // One redirect to the same URL is legitimate: a server may set a cookie first.
        let visit = Visit(method: next.method, url: new.withoutFragment)
        if let count = visits[visit], count > 1 { return .loop(new) }
        visits[visit, default: 0] += 1
        return nil
    }

    /// `true` if a server of another origin would choose a request to a service that only this machine can reach.
    private func leadsIntoUnixSocket(from old: URL, to new: URL) -> Bool {
        if unixSocketOrigins.isEmpty { return false }
        // The transport may read a host that is malformed here.
        guard let target = HTTPOrigin(of: new) else { return true }
        return unixSocketOrigins.contains(target) && HTTPOrigin(of: old) != target
    }

    /// `true` if a status is a redirect that is followed.
    static func isRedirect(_ status: Int) -> Bool {
        switch status {
        case 301, 302, 303, 307, 308: true
        default: false
        }
    }

    /// The URL in `Location`; without a fragment it gets that of the request (RFC 9110 section 10.2.2).
    private static func resolve(_ location: String, from base: URL) -> URL? {
        guard let new = URL(reference: location, relativeTo: base)?.absoluteURL else { return nil }
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
            // A server must not choose the user name that another server receives.
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

    /// Fields that describe a body, and are wrong without one.
    private static let contentFields = [
        "Content-Type", "Content-Length", "Content-Encoding", "Content-Language", "Content-Location",
        "Content-Disposition", "Content-Range", "Content-MD5", "Content-Digest", "Repr-Digest", "Digest",
        "Transfer-Encoding", "Trailer", "Expect", "Last-Modified",
    ]

    /// `true` if two URLs have the same scheme, host and port (RFC 6454).
    static func isSameOrigin(_ one: URL, _ other: URL) -> Bool {
        one.scheme?.lowercased() == other.scheme?.lowercased()
            && one.comparableHost == other.comparableHost
            && one.portOrDefault == other.portOrDefault
    }
}

extension RedirectRules.Refusal {
    /// `true` if the request that a handler has made of the refused one is refused for the same reason.
    func applies(to url: URL?) -> Bool {
        guard let url, url.isHTTP else { return true }
        return switch self {
        case .insecure: url.scheme?.lowercased() == "http"
        case .unsupportedScheme: false
        case .unixSocket(let refused): RedirectRules.isSameOrigin(url, refused)
        case .tooManyHops: true
        case .loop(let refused): url.withoutFragment == refused.withoutFragment
        }
    }

    /// The error of a call that must not receive the redirect itself.
    package var error: SessionError {
        let (code, text): (URLError.Code, String) =
            switch self {
            case .insecure(let url):
                (
                    .secureConnectionFailed,
                    "The server redirects from https to http, to \(Self.masked(url)); that is not followed."
                )
            case .unsupportedScheme(let url):
                (.unsupportedURL, "The server redirects to \(Self.masked(url)), which is neither http nor https.")
            case .unixSocket(let url):
                (
                    .unsupportedURL,
                    "The server redirects from another origin into a Unix domain socket, to \(Self.masked(url)); that is "
                        + "not followed."
                )
            case .tooManyHops:
                (.httpTooManyRedirects, "The server redirects more than \(RedirectRules.maximumHops) times.")
            case .loop(let url):
                (.httpTooManyRedirects, "The server redirects in a circle, to \(Self.masked(url)) again.")
            }
        return .sessionTaskFailed(error: URLError(code, userInfo: [NSLocalizedDescriptionKey: text]))
    }

    private static func masked(_ url: URL) -> String { SecretMask.standard.beginning(ofURL: url.absoluteString) }
}

extension URL {
    /// The host without escapes, in which an internationalized one equals its ASCII name; with them if they are no UTF-8,
    /// so that no two of these are equal.
    var comparableHost: String? {
        (host(percentEncoded: false) ?? host(percentEncoded: true))?.lowercased()
    }

    fileprivate var isHTTP: Bool { ["http", "https"].contains(scheme?.lowercased()) }

    /// The port, or that of the scheme; `nil` for a scheme other than `http` and `https`.
    var portOrDefault: Int? {
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
