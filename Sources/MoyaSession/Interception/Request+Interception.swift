import Foundation
import MoyaTransport

/// The state that interceptors keep with a request.
struct RequestInterception: ~Copyable {
    /// The refresh of a credential that the request was made within, and so is part of.
    let refreshScope = RefreshScope.current
    /// With which credential each authentication interceptor last let the request go.
    let authentications = Lock<[ObjectIdentifier: RequestAuthentication]>([:])
}

/// The state that an authentication interceptor keeps with a request.
struct RequestAuthentication {
    /// The version of the credential that was applied.
    var version: Int
    /// `true` if another attempt was made because the request did not seem to carry that credential.
    var isDoubted = false
}

extension Request {
    /// `true` if the answers of interceptors no longer matter.
    var isOver: Bool { mutableState.withLock { $0.machine.isOver } }

    /// The head of the response, if there is one: costs nothing, where `response` makes an object.
    var responseHead: TransportResponseHead? { mutableState.withLock { $0.head } }

    /// The state that an authentication interceptor keeps with the request.
    func authentication(by interceptor: ObjectIdentifier) -> RequestAuthentication? {
        interception.authentications.withLock { $0[interceptor] }
    }

    /// Takes note that a credential was applied.
    func recordAuthentication(by interceptor: ObjectIdentifier, _ version: Int) {
        interception.authentications.withLock { authentications in
            // A doubt holds for as long as the credential is the same.
            guard authentications[interceptor]?.version != version else { return }
            authentications[interceptor] = RequestAuthentication(version: version)
        }
    }

    /// Takes note that a request does not look as if it had the credential that was applied.
    ///
    /// - Returns: `true` if that is so for the first time.
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

extension Request {
    /// Keeps header fields, which hold a credential, from other origins: a redirect there takes none of them along.
    package func keepFieldsAtOrigin(_ names: Set<String>) {
        guard !names.isEmpty else { return }
        let unknown = names.filter { !core.credentialFields.contains($0) }
        guard !unknown.isEmpty else { return }
        mutableState.withLock { $0.credentialFields.formUnion(unknown) }
    }
}
