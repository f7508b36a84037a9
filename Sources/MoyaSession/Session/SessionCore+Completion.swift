import Foundation
import MoyaTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension SessionCore {
    /// Completes a validated request: adds the session's fields that it does not override, and its time limits.
    ///
    /// - Parameter hasLeftOrigin: `true` if a redirect led to another origin, which does not receive the session's
    ///   credentials.
    func complete(_ request: inout HTTPRequest, _ context: AttemptContext, hasLeftOrigin: Bool = false) {
        // A stubbed request reaches no server, which could be late.
        guard !context.isStubbed else { return }
        bound(&request, context)
        // The length always comes from the body, since a wrong length desynchronizes the connection.
        if !request.fields.isEmpty { request.fields.removeAll { HTTPField.isDropped($0.name, $0.value) } }
        guard !request.fields.isEmpty || hasLeftOrigin else { return request.fields = defaultFields }
        let ownCount = request.fields.count
        request.fields.reserveCapacity(ownCount + defaultFields.count)
        for field in defaultFields {
            if hasLeftOrigin, credentialFields.contains(field.name) { continue }
            let isOverridden = request.fields[..<ownCount].contains { ASCII.equalIgnoringCase($0.name, field.name) }
            if !isOverridden { request.fields.append(field) }
        }
    }

    /// Throws an error if a request would send a password without TLS.
    ///
    /// - Throws: ``SessionError/URLRequestValidationFailureReason/basicWithoutTLS(host:)``.
    func checkCredentials(of request: HTTPRequest) throws(SessionError) {
        guard refusesBasicWithoutTLS, ASCII.hasPrefix(request.url, "http://"),
            request.fields.contains(where: BasicAuthentication.isField)
        else { return }
        let url = URL(string: request.url)
        if let origin = url.flatMap(HTTPOrigin.init(of:)), unixSocketOrigins.contains(origin) { return }
        let host = url?.host(percentEncoded: false) ?? ""
        guard !loopback.contains(host) else { return }
        throw .urlRequestValidationFailed(reason: .basicWithoutTLS(host: host))
    }

    /// Sets the time limits of an exchange that starts now.
    func bound(_ request: inout HTTPRequest, _ context: AttemptContext) {
        let (own, left) = (context.timeouts, context.deadline?.secondsLeft())
        let attempt = own?.attempt.map(\.positiveSeconds) ?? timeLimits.attempt
        request.timeouts = Timeouts(
            connect: own?.connect.map(\.positiveSeconds) ?? timeLimits.connect,
            idle: own?.idle.map(\.positiveSeconds) ?? request.urlRequest.map(idleBound) ?? timeLimits.idle,
            total: attempt.map { attempt in left.map { min($0, attempt) } ?? attempt } ?? left)
    }

    /// The deadline of a request that starts now.
    func deadline(own: Deadlines?) -> Deadline? {
        Deadline(in: own?.total.map(\.positiveSeconds) ?? timeLimits.total)
    }

    /// The timeout interval of a `URLRequest` if it was set; otherwise that of the session.
    private func idleBound(of urlRequest: URLRequest) -> Double? {
        let interval = urlRequest.timeoutInterval
        // Foundation's default is 60 seconds.
        if interval == 60, timeLimits.idle != 60, !urlRequest.setsTimeoutInterval { return timeLimits.idle }
        return interval > 0 ? interval : nil
    }
}

extension URLRequest {
    /// `true` if the timeout interval was set, even to its default of 60 seconds; `false` if Foundation does not
    /// distinguish the two.
    fileprivate var setsTimeoutInterval: Bool {
        guard let mark = Self.timeoutIntervalMark else { return false }
        return withUnsafeBytes(of: self) { $0[mark] != 0 }
    }

    /// The offset of the byte in which Foundation for Linux records that an interval was set; determined by setting
    /// one.
    private static let timeoutIntervalMark: Int? = {
        let request = URLRequest(url: URL(fileURLWithPath: "/"))
        var changed = request
        changed.timeoutInterval = 60
        // The only other member is the reference to the storage.
        let mark = MemoryLayout<UnsafeRawPointer>.size
        guard MemoryLayout<URLRequest>.size == mark + 1 else { return nil }
        let before = withUnsafeBytes(of: request) { $0[mark] }
        let after = withUnsafeBytes(of: changed) { $0[mark] }
        return before == 0 && after == 1 ? mark : nil
    }()
}
