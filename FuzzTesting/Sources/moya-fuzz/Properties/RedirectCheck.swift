import Foundation
import MoyaTransport

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Redirect after redirect: a byte for the first URL, one for the status of each hop, and a line for its `Location`.
@Sendable func checkRedirect(_ bytes: [UInt8]) throws {
    var input = FuzzInput(bytes)
    let starts = [
        "https://example.com/a/b?c#d", "http://example.com:8080/", "https://user:word@example.com/x/../y",
        "http://[::1]/p;q", "https://example.com",
    ]
    guard let url = URL(string: starts[input.number(below: starts.count)]) else { return }
    var request = URLRequest(url: url)
    request.httpMethod = ["GET", "POST", "HEAD", "PUT"][input.number(below: 4)]
    request.httpBody = request.httpMethod == "GET" ? nil : Data("body".utf8)
    for name in secretFields + ["Content-Type", "X-Own"] { request.setValue("value", forHTTPHeaderField: name) }

    var rules = RedirectRules()
    var hops = 0
    let statuses = [301, 302, 303, 307, 308, 300, 304, 200]
    while !input.isEmpty {
        let status = statuses[input.number(below: statuses.count)]
        let location = input.text()
        guard case .follow(let next, let keepsBody) = rules.decide(after: request, status: status, location: location)
        else { return }
        hops += 1
        try expect(hops <= RedirectRules.maximumHops, "\(hops) hops")
        try expect([301, 302, 303, 307, 308].contains(status), "\(status) is followed")
        try checkHop(from: request, to: next, status: status, keepsBody: keepsBody)
        request = next
    }
}

private let secretFields = ["Authorization", "Cookie", "Proxy-Authorization"]

private func checkHop(from old: URLRequest, to new: URLRequest, status: Int, keepsBody: Bool) throws {
    guard let from = old.url, let to = new.url else { throw Violation(description: "a request without a URL") }
    let scheme = to.scheme?.lowercased()
    try expect(scheme == "http" || scheme == "https", "followed to \(to)")
    try expect(from.scheme?.lowercased() != "https" || scheme == "https", "from \(from) to \(to)")
    try expect(to.host(percentEncoded: true)?.isEmpty == false, "no host in \(to)")
    try expect(to.baseURL == nil, "\(to) is relative")
    let text = to.absoluteString
    try expect(text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "\(text) does not fit into a request line")
    try expect(URL(string: text)?.absoluteString == text, "\(text) is another URL when read again")

    if origin(of: from) != origin(of: to) {
        for name in secretFields {
            try expect(new.value(forHTTPHeaderField: name) == nil, "\(name) goes from \(from) to \(to)")
        }
        try expect(to.user == nil && to.password == nil, "a server gives a name to another: \(to)")
    }
    try expect(new.value(forHTTPHeaderField: "X-Own") == "value", "a field is lost")
    let becameGET = old.httpMethod != "GET" && new.httpMethod == "GET"
    try expect(new.httpMethod == old.httpMethod || becameGET, "\(old.httpMethod ?? "") becomes \(new.httpMethod ?? "")")
    try expect(!(status == 307 || status == 308) || (keepsBody && !becameGET), "\(status) changes the method")
    if becameGET {
        try expect(!keepsBody && new.httpBody == nil, "a GET with the body of another method")
        try expect(new.value(forHTTPHeaderField: "Content-Type") == nil, "a GET with the type of a body")
    }
}

private func origin(of url: URL) -> String {
    let scheme = url.scheme?.lowercased() ?? ""
    let port = url.port ?? (scheme == "https" ? 443 : 80)
    return "\(scheme)|\(url.host(percentEncoded: true)?.lowercased() ?? "")|\(port)"
}

extension RedirectRules {
    /// The decision of the rules about a `URLRequest`.
    fileprivate enum Step {
        case deliver
        case follow(URLRequest, keepsBody: Bool)
        case refuse(Refusal)
    }

    /// Decides for a request made from a `URLRequest`, and returns the follow-up as one.
    fileprivate mutating func decide(after urlRequest: URLRequest, status: Int, location: String?) -> Step {
        var request = HTTPRequest(urlRequest)
        request.body = urlRequest.httpBody.map(TransportBody.data) ?? .none
        guard let url = urlRequest.url else { return .deliver }
        switch decide(after: request, at: url, status: status, location: location) {
        case .deliver: return .deliver
        case .refuse(let refusal, _, _, _): return .refuse(refusal)
        case .follow(let next, let url, let keepsBody):
            var made = URLRequest(url: url)
            made.httpMethod = next.method
            made.allHTTPHeaderFields = Dictionary(
                next.fields.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
            if case .data(let body) = next.body { made.httpBody = body }
            return .follow(made, keepsBody: keepsBody)
        }
    }
}
