import Foundation
import MoyaTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension SessionCore {
    /// What the transport is given for a `URLRequest` that was found fit to be sent.
    ///
    /// - Parameters:
    ///   - own: The request's own bounds.
    ///   - deadline: When the request has to be over.
    ///   - isCarried: Whether another transport than the session's takes it, which nothing of the session's is sent by.
    ///   - hasLeftOrigin: Whether a redirect led to another origin, which the session's secrets are not for.
    func transportRequest(
        for urlRequest: URLRequest, body: TransportBody, own: RequestTimeouts?, deadline: Deadline?,
        isCarried: Bool = false, hasLeftOrigin: Bool = false
    ) -> TransportRequest {
        TransportRequest(
            method: urlRequest.httpMethod ?? "GET",
            // What is carried by another transport goes to no server.
            url: isCarried ? "" : Self.bare(urlRequest.url),
            fields: isCarried
                ? []
                : fields(
                    urlRequest.allHTTPHeaderFields ?? [:], cookie: cookies?.cookieHeader(for: urlRequest),
                    hasBody: body.isPresent, hasLeftOrigin: hasLeftOrigin),
            body: body,
            timeouts: timeouts(idle: idleBound(of: urlRequest), own: own, deadline: deadline),
            collectsMetrics: true)
    }

    /// The same for a request that Foundation has not made.
    func transportRequest(
        for plain: PlainRequest, own: RequestTimeouts?, deadline: Deadline?, isCarried: Bool
    ) -> TransportRequest {
        TransportRequest(
            method: plain.method,
            url: isCarried ? "" : plain.url,
            fields: isCarried
                ? []
                : fields(
                    plain.fields ?? [:], cookie: cookies?.cookieHeader(for: plain), hasBody: false,
                    hasLeftOrigin: false),
            body: .none,
            timeouts: timeouts(idle: bounds.idle, own: own, deadline: deadline),
            collectsMetrics: true)
    }

    /// When a request has to be over that starts now.
    func deadline(own: RequestTimeouts?) -> Deadline? {
        Deadline(in: own?.total.map(\.positiveSeconds) ?? bounds.total)
    }

    /// The request's own fields, and those of the session's that it does not override.
    private func fields(
        _ own: [String: String], cookie: String?, hasBody: Bool, hasLeftOrigin: Bool
    ) -> [HTTPField] {
        if own.isEmpty, cookie == nil, !hasLeftOrigin { return defaultFields }
        var fields: [HTTPField] = []
        fields.reserveCapacity(own.count + defaultFields.count)
        for (name, value) in own {
            // The length is the body's, never what somebody says of it: a wrong one desynchronizes the connection.
            if hasBody,
                ASCII.equalIgnoringCase(name, "content-length") || ASCII.equalIgnoringCase(name, "transfer-encoding")
            {
                continue
            }
            fields.append(HTTPField(name: name, value: value))
        }
        let ownCount = fields.count
        for field in defaultFields {
            if hasLeftOrigin, SecretMask.hidesHeader(named: field.name) { continue }
            let isOverridden = fields[..<ownCount].contains { ASCII.equalIgnoringCase($0.name, field.name) }
            if !isOverridden { fields.append(field) }
        }
        if let cookie { fields.append(HTTPField(name: "Cookie", value: cookie)) }
        return fields
    }

    private func timeouts(
        idle: Double?, own: RequestTimeouts?, deadline: Deadline?
    ) -> TransportTimeouts {
        let attempt = own?.attempt.map(\.positiveSeconds) ?? bounds.attempt
        let left = deadline?.secondsLeft()
        return TransportTimeouts(
            connect: own?.connect.map(\.positiveSeconds) ?? bounds.connect,
            idle: own?.idle.map(\.positiveSeconds) ?? idle,
            total: attempt.map { attempt in left.map { min($0, attempt) } ?? attempt } ?? left)
    }

    /// The `URLRequest`'s own interval where it was set, else the session's: 60 seconds is what Foundation sets unasked.
    private func idleBound(of urlRequest: URLRequest) -> Double? {
        let interval = urlRequest.timeoutInterval
        return interval == 60 ? bounds.idle : interval > 0 ? interval : nil
    }

    /// The URL without what is never sent: a fragment, a user name, a password.
    private static func bare(_ url: URL?) -> String {
        guard let url else { return "" }
        let text = url.absoluteString
        guard text.utf8.contains(where: { $0 == UInt8(ascii: "#") || $0 == UInt8(ascii: "@") }),
            var components = URLComponents(url: url, resolvingAgainstBaseURL: true)
        else { return text }
        components.fragment = nil
        components.user = nil
        components.password = nil
        return components.string ?? text
    }
}

extension TransportBody {
    fileprivate var isPresent: Bool { if case .none = self { false } else { true } }
}
