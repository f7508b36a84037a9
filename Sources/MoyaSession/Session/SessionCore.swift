import Foundation
import MoyaTransport
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What the requests of a session share with it.
///
/// A session holds its active requests through the core, and not the reverse: releasing the session ends them.
///
/// `@unchecked`: the constants are set at the start; the session is a weak reference, which is safe to read anywhere.
final class SessionCore: @unchecked Sendable {
    let transport: any Transport
    let interceptor: (any RequestInterceptor)?
    let startsRequestsImmediately: Bool
    /// Where code of the user's runs that must not hold up a transport.
    let rootQueue: DispatchQueue
    /// Where requests are prepared; `nil` for the caller's thread.
    let preparationQueue: DispatchQueue?
    /// What every request sends unless it says otherwise.
    let defaultFields: [HTTPField]
    /// Why those fields may not be sent; found once, and told to every request.
    let defaultFieldsError: SessionError?
    let collectsMetrics: Bool

    private let requestTimeout: TimeInterval
    private let resourceTimeout: TimeInterval
    private let active = Mutex<Set<Request>>([])

    weak var session: Session?

    init(
        configuration: URLSessionConfiguration, transport: any Transport, interceptor: (any RequestInterceptor)?,
        startsRequestsImmediately: Bool, rootQueue: DispatchQueue, preparationQueue: DispatchQueue?,
        collectsMetrics: Bool
    ) {
        self.transport = transport
        self.interceptor = interceptor
        self.startsRequestsImmediately = startsRequestsImmediately
        self.rootQueue = rootQueue
        self.preparationQueue = preparationQueue
        self.collectsMetrics = collectsMetrics
        requestTimeout = configuration.timeoutIntervalForRequest
        resourceTimeout = configuration.timeoutIntervalForResource
        defaultFields = configuration.headers.map { HTTPField(name: $0.name, value: $0.value) }
        defaultFieldsError = Self.error(in: defaultFields)
    }

    private static func error(in fields: [HTTPField]) -> SessionError? {
        do {
            for field in fields { try RequestValidation.validateField(field.name, field.value) }
            return nil
        } catch {
            return error as? SessionError
        }
    }

    // MARK: Active requests

    var activeRequests: Set<Request> { active.withLock { $0 } }

    func register(_ request: Request) { active.withLock { _ = $0.insert(request) } }

    func unregister(_ request: Request) { active.withLock { _ = $0.remove(request) } }

    // MARK: Requests for the transport

    /// What the transport is given for a `URLRequest` that was found fit to be sent.
    ///
    /// - Parameter hasLeftOrigin: Whether a redirect led to another origin, which the session's secrets are not for.
    func transportRequest(
        for urlRequest: URLRequest, body: TransportBody, hasLeftOrigin: Bool = false
    ) -> TransportRequest {
        TransportRequest(
            method: urlRequest.httpMethod ?? "GET",
            url: Self.bare(urlRequest.url),
            fields: fields(of: urlRequest, hasBody: body.isPresent, hasLeftOrigin: hasLeftOrigin),
            body: body,
            timeouts: TransportTimeouts(idle: idleTimeout(of: urlRequest), total: totalTimeout),
            collectsMetrics: collectsMetrics)
    }

    /// The request's own fields, and those of the session's that it does not override.
    private func fields(of urlRequest: URLRequest, hasBody: Bool, hasLeftOrigin: Bool) -> [HTTPField] {
        let own = urlRequest.allHTTPHeaderFields ?? [:]
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
        return fields
    }

    /// The request's own interval where it was set, else the session's: 60 seconds is what Foundation sets unasked.
    private func idleTimeout(of urlRequest: URLRequest) -> Double? {
        let interval = urlRequest.timeoutInterval == 60 ? requestTimeout : urlRequest.timeoutInterval
        return interval > 0 ? interval : nil
    }

    private var totalTimeout: Double? { resourceTimeout > 0 ? resourceTimeout : nil }

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
