#if canImport(Darwin)
import Foundation
import MoyaTransport
import Security

extension URLSessionExchange {
    /// Answers a challenge; a server that is refused ends the exchange.
    func answer(
        to challenge: URLAuthenticationChallenge
    ) -> (URLSession.AuthChallengeDisposition, URLCredential?) {
        recordActivity()
        let space = challenge.protectionSpace
        switch space.authenticationMethod {
        case NSURLAuthenticationMethodServerTrust:
            let settings = wire.settings.trust
            guard !settings.isSystems, let trust = space.serverTrust else { return (.performDefaultHandling, nil) }
            if let failure = settings.refusal(of: trust, host: CanonicalHost.of(space.host) ?? "") {
                ownFailure = failure
                return (.cancelAuthenticationChallenge, nil)
            }
            return (.useCredential, URLCredential(trust: trust))
        case NSURLAuthenticationMethodClientCertificate where !space.isProxy():
            guard let identity = wire.settings.identity(forHost: space.host, port: space.port) else {
                return (.performDefaultHandling, nil)
            }
            return (.useCredential, identity.credential)
        case NSURLAuthenticationMethodHTTPDigest where !space.isProxy():
            guard let authentication = request.authentication, challenge.previousFailureCount == 0 else {
                return (.performDefaultHandling, nil)
            }
            let credential = URLCredential(
                user: authentication.user, password: authentication.password, persistence: .none)
            return (.useCredential, credential)
        default:
            // The caller decides about a 401, which is the response then.
            return (.performDefaultHandling, nil)
        }
    }
}
#endif
