#if canImport(Darwin)
import Foundation
import MoyaTransport
import Security

extension URLSessionExchange {
    /// How a challenge is answered; a server that is refused ends the exchange.
    func answer(
        to challenge: URLAuthenticationChallenge
    ) -> (URLSession.AuthChallengeDisposition, URLCredential?) {
        noteActivity()
        let space = challenge.protectionSpace
        switch space.authenticationMethod {
        case NSURLAuthenticationMethodServerTrust:
            let settings = wire.settings.trust
            guard !settings.isSystems, let trust = space.serverTrust else { return (.performDefaultHandling, nil) }
            let host = space.host.hasSuffix(".") ? String(space.host.dropLast()) : space.host
            if let failure = settings.refusal(of: trust, host: host) {
                ownFailure = failure
                return (.cancelAuthenticationChallenge, nil)
            }
            return (.useCredential, URLCredential(trust: trust))
        case NSURLAuthenticationMethodClientCertificate where !space.isProxy():
            guard let identity = wire.settings.identity else { return (.performDefaultHandling, nil) }
            return (.useCredential, identity.credential)
        case NSURLAuthenticationMethodHTTPDigest where !space.isProxy():
            guard let authentication = request.authentication, challenge.previousFailureCount == 0 else {
                return (.performDefaultHandling, nil)
            }
            let credential = URLCredential(
                user: authentication.user, password: authentication.password, persistence: .none)
            return (.useCredential, credential)
        default:
            // Whoever made the request decides about a 401, which is the response then.
            return (.performDefaultHandling, nil)
        }
    }
}
#endif
