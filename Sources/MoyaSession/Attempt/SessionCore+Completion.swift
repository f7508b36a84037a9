import Foundation
import MoyaTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension SessionCore {
    /// Completes a request that was found fit to be sent: fields of the session that it does not override, and bounds.
    ///
    /// - Parameter hasLeftOrigin: `true` if a redirect led to another origin, to which credentials of the session are
    ///   not sent.
    func complete(_ request: inout HTTPRequest, _ context: AttemptContext, hasLeftOrigin: Bool = false) {
        request.collectsMetrics = true
        bound(&request, context)
        // No server sees what another transport than the session's carries.
        guard !context.isCarried else { return }
        // The length is always the body's: a wrong one desynchronizes the connection.
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

    /// Refuses a request that would show a password to the network.
    ///
    /// - Throws: ``SessionError/URLRequestValidationFailureReason/basicWithoutTLS(host:)``.
    func checkCredentials(of request: HTTPRequest) throws(SessionError) {
        guard refusesBasicWithoutTLS, ASCII.hasPrefix(request.url, "http://"),
            request.fields.contains(where: BasicAuthentication.isField),
            case let host = URL(string: request.url)?.host(percentEncoded: false) ?? "", !LoopbackHost.contains(host)
        else { return }
        throw .urlRequestValidationFailed(reason: .basicWithoutTLS(host: host))
    }

    /// Sets the bounds of an exchange that starts now.
    func bound(_ request: inout HTTPRequest, _ context: AttemptContext) {
        let (own, left) = (context.timeouts, context.deadline?.secondsLeft())
        let attempt = own?.attempt.map(\.positiveSeconds) ?? bounds.attempt
        request.timeouts = Timeouts(
            connect: own?.connect.map(\.positiveSeconds) ?? bounds.connect,
            idle: own?.idle.map(\.positiveSeconds) ?? request.urlRequest.map(idleBound) ?? bounds.idle,
            total: attempt.map { attempt in left.map { min($0, attempt) } ?? attempt } ?? left)
    }

    /// The deadline of a request that starts now.
    func deadline(own: Deadlines?) -> Deadline? {
        Deadline(in: own?.total.map(\.positiveSeconds) ?? bounds.total)
    }

    /// The interval of a `URLRequest` where it was set, else that of the session.
    private func idleBound(of urlRequest: URLRequest) -> Double? {
        let interval = urlRequest.timeoutInterval
        // Foundation sets 60 seconds unasked.
        if interval == 60, bounds.idle != 60, !urlRequest.setsTimeoutInterval { return bounds.idle }
        return interval > 0 ? interval : nil
    }
}

extension URLRequest {
    /// `true` if the timeout interval was set, even to its default of 60 seconds; `false` where Foundation does not
    /// distinguish this.
    fileprivate var setsTimeoutInterval: Bool {
        guard let mark = Self.timeoutIntervalMark else { return false }
        return withUnsafeBytes(of: self) { $0[mark] != 0 }
    }

    /// The place of the byte by which Foundation for Linux remembers that an interval was set; found by setting one.
    private static let timeoutIntervalMark: Int? = {
        let request = URLRequest(url: URL(fileURLWithPath: "/"))
        var changed = request
        changed.timeoutInterval = 60
        // Behind the reference to its storage there is nothing else.
        let mark = MemoryLayout<UnsafeRawPointer>.size
        guard MemoryLayout<URLRequest>.size == mark + 1 else { return nil }
        let before = withUnsafeBytes(of: request) { $0[mark] }
        let after = withUnsafeBytes(of: changed) { $0[mark] }
        return before == 0 && after == 1 ? mark : nil
    }()
}
