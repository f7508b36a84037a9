import MoyaTransport

/// A cache's view of a request.
struct CacheRequest: Sendable {
    /// The request, whose URL is a key.
    var http: HTTPRequest
    let isGET: Bool
    let isHEAD: Bool
    /// The directives of the request; `nil` without any.
    private(set) var control: CacheControl?
    /// The single range of the request.
    private(set) var range: ByteRange?
    private(set) var credential = CacheCredential()
    /// The fields that contain a credential: the session's and the request's own.
    let credentials: CredentialFields
    /// `true` if the cache neither answers the request nor stores its response.
    private(set) var isBypassed = false
    /// `true` if the request has conditions, whose result its caller expects.
    private(set) var isConditional = false

    /// The maximum number of bytes in a URL that is a cache key.
    private static let longestURL = 8192

    /// - Parameters:
    ///   - credentials: The session's fields with a credential.
    ///   - identity: Identifies the client certificate that servers receive; `nil` without one.
    ///   - fingerprint: Makes a fingerprint of a secret.
    init(
        _ http: HTTPRequest, credentials: CredentialFields = CredentialFields(), identity: String? = nil,
        fingerprint: (String) -> String
    ) {
        self.http = http
        self.http.url = CacheKey.normalized(http.url)
        isGET = http.method == "GET"
        isHEAD = http.method == "HEAD"
        let credentials = credentials.adding(http.delegate?.credentialFields ?? [])
        self.credentials = credentials
        var hasControl = false
        var secrets = identity.map { [$0] } ?? []
        var cookies: String?
        for field in http.fields {
            let name = field.name
            if ASCII.equalIgnoringCase(name, "cookie") {
                cookies = (cookies.map { $0 + "; " } ?? "") + field.value
            } else if ASCII.equalIgnoringCase(name, "cache-control") || ASCII.equalIgnoringCase(name, "pragma") {
                hasControl = true
            } else if ASCII.equalIgnoringCase(name, "range") {
                if let range = ByteRange(field.value), self.range == nil {
                    self.range = range
                } else {
                    isBypassed = true
                }
            } else if ASCII.hasPrefix(name, "if-") {
                isConditional = true
            } else if ASCII.equalIgnoringCase(name, "host") || credentials.separatesResponses(name) {
                // A `Host` of the caller is part of the target URI (RFC 9110 section 7.1), but not of `http.url`.
                secrets.append("\(name.lowercased()):\(field.value)\n")
            }
        }
        if hasControl { control = CacheControl(request: http.fields) }
        // Fields of different names may come in any order.
        if !secrets.isEmpty { credential.authorization = fingerprint(secrets.sorted().joined()) }
        if let cookies { credential.cookie = fingerprint(cookies) }
        if isConditional && range != nil || http.url.utf8.count > Self.longestURL { isBypassed = true }
        // A response to a body is only for that body, which is not part of the key.
        if http.hasBody { isBypassed = true }
        // The transport answers a challenge with a credential that is not among the fields.
        if http.authentication != nil { isBypassed = true }
    }

    /// The request with the time that is left until a deadline, for a later start.
    func due(by deadline: Deadline?) -> CacheRequest {
        guard let deadline else { return self }
        var later = self
        later.http.timeouts.total = deadline.secondsLeft()
        return later
    }

    /// The request without a total time limit, for an exchange whose callers have their own.
    var withoutLimit: CacheRequest {
        var unlimited = self
        unlimited.http.timeouts.total = nil
        return unlimited
    }
}

extension HTTPRequest {
    /// `true` if a body is sent, even one whose length is not known to be positive.
    fileprivate var hasBody: Bool {
        switch body {
        case .none: false
        case .data(let data): !data.isEmpty
        case .file, .stream: true
        }
    }
}

extension CredentialFields {
    /// `true` if a response to a request with a field is only for the value of that field: it contains a credential.
    func separatesResponses(_ name: String) -> Bool {
        if Self.isPublic(name) { return !names.isEmpty && names.contains(name.lowercased()) }
        return contains(name)
    }

    /// `true` for the fields of every request of a session, whose names need no search for secrets.
    private static func isPublic(_ name: String) -> Bool {
        switch name.utf8.count {
        case 6: ASCII.equalIgnoringCase(name, "accept")
        case 10: ASCII.equalIgnoringCase(name, "user-agent")
        case 15:
            ASCII.equalIgnoringCase(name, "accept-encoding") || ASCII.equalIgnoringCase(name, "accept-language")
        default: false
        }
    }
}
