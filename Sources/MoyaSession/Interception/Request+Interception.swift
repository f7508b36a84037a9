import Foundation
import MoyaTransport
import Synchronization

/// What interceptors keep with a request.
struct RequestInterception: ~Copyable {
    /// The refresh of a credential that the request was made within, and so is part of.
    let refreshScope = RefreshScope.current
    /// With which credential each authentication interceptor last let the request go.
    let authentications = Mutex<[ObjectIdentifier: RequestAuthentication]>([:])
}

/// What an authentication interceptor knows of a request.
struct RequestAuthentication {
    /// The version of the credential that was applied.
    var version: Int
    /// Whether another attempt was asked for because the request did not look as if it had that credential.
    var isDoubted = false
}

extension Request {
    /// Whether nothing that an interceptor answers is of interest any more.
    var isOver: Bool { guarded.withLock { $0.machine.isOver } }

    /// The head of the response, if there is one: costs nothing, where `response` makes an object.
    var responseHead: TransportResponseHead? { guarded.withLock { $0.head } }

    /// What an authentication interceptor knows of the request.
    func authentication(by interceptor: ObjectIdentifier) -> RequestAuthentication? {
        interception.authentications.withLock { $0[interceptor] }
    }

    /// Takes note that a credential was applied.
    func noteAuthentication(by interceptor: ObjectIdentifier, _ version: Int) {
        interception.authentications.withLock { authentications in
            // A doubt holds for as long as the credential is the same.
            guard authentications[interceptor]?.version != version else { return }
            authentications[interceptor] = RequestAuthentication(version: version)
        }
    }

    /// Takes note that a request does not look as if it had the credential that was applied.
    ///
    /// - Returns: Whether that is so for the first time.
    func doubtAuthentication(by interceptor: ObjectIdentifier, _ version: Int) -> Bool {
        interception.authentications.withLock { authentications in
            var authentication = authentications[interceptor] ?? RequestAuthentication(version: version)
            defer { authentications[interceptor] = authentication }
            guard authentication.version == version, authentication.isDoubted else {
                authentication = RequestAuthentication(version: version, isDoubted: true)
                return true
            }
            return false
        }
    }
}
