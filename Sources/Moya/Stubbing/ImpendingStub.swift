import Foundation
import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What plugins see of a request that a stub will answer and that is never sent.
struct ImpendingStub: RequestType {
    /// The request as the plugins prepared it.
    let request: URLRequest?
    /// Knows the rest.
    let unsent: Request

    var sessionHeaders: [String: String] { unsent.sessionHeaders }

    func authenticate(username: String, password: String, persistence: URLCredential.Persistence) -> Self {
        unsent.authenticate(username: username, password: password, persistence: persistence)
        return self
    }

    func authenticate(with credential: URLCredential) -> Self {
        unsent.authenticate(with: credential)
        return self
    }

    /// Never calls the handler: there is no command line of a request that is not sent.
    func cURLDescription(calling handler: @escaping @Sendable (String) -> Void) -> Self { self }
}
