import Foundation
import MoyaSession
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What plugins see of a call that is yet to become a session's request, perhaps several times.
///
/// What they ask of it is asked of each of those requests.
final class ImpendingCall: RequestType, Sendable {
    /// The request as the plugins prepared it.
    let request: URLRequest?
    private let unsent: Request
    private let wishes = Mutex<[@Sendable (Request) -> Void]>([])

    init(request: URLRequest, unsent: Request) {
        self.request = request
        self.unsent = unsent
    }

    var sessionHeaders: [String: String] { unsent.sessionHeaders }

    func authenticate(username: String, password: String, persistence: URLCredential.Persistence) -> Self {
        authenticate(with: URLCredential(user: username, password: password, persistence: persistence))
    }

    func authenticate(with credential: URLCredential) -> Self {
        wishes.withLock { $0.append { $0.authenticate(with: credential) } }
        return self
    }

    func cURLDescription(calling handler: @escaping @Sendable (String) -> Void) -> Self {
        wishes.withLock { $0.append { $0.cURLDescription(calling: handler) } }
        return self
    }

    /// Asks of a session's request what the plugins asked for.
    func pass(to request: Request) {
        for wish in wishes.withLock({ $0 }) { wish(request) }
    }
}
