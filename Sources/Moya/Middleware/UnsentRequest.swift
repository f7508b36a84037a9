import Foundation
import MoyaSession
import MoyaTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A plugin's view of a call that becomes a session request later, once, several times or never.
///
/// Plugins' changes to it apply to each of those requests.
final class UnsentRequest: MaskableRequest, Sendable {
    /// The request as the plugins prepared it.
    let request: URLRequest?
    /// A request that is never started, which provides the session's header fields.
    private let unstarted: Request
    private let operations = Lock<[@Sendable (Request) -> Void]>([])

    init(_ request: URLRequest, in session: Session) {
        self.request = request
        unstarted = session.unstarted { $0.request(request, interceptor: nil) }
    }

    var sessionHeaders: [String: String] { unstarted.sessionHeaders }
    var declaredCredentials: Set<String> { unstarted.declaredCredentials }

    func authenticate(username: String, password: String, persistence: URLCredential.Persistence) -> Self {
        authenticate(with: URLCredential(user: username, password: password, persistence: persistence))
    }

    func authenticate(with credential: URLCredential) -> Self {
        operations.withLock { $0.append { $0.authenticate(with: credential) } }
        return self
    }

    func cURLDescription(calling handler: @escaping @Sendable (String) -> Void) -> Self {
        operations.withLock { $0.append { $0.cURLDescription(calling: handler) } }
        return self
    }

    func cURLDescription(mask: SecretMask, calling handler: @escaping @Sendable (String) -> Void) -> Self {
        operations.withLock { $0.append { $0.cURLDescription(mask: mask, calling: handler) } }
        return self
    }

    /// Applies the plugins' changes to a session's request.
    func pass(to request: Request) {
        for operation in operations.withLock({ $0 }) { operation(request) }
    }
}
