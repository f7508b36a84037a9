#if canImport(Darwin)
import Foundation
import MoyaTransport
import Security

extension URLSessionExchange {
    /// Answers a challenge; refusing a server ends the exchange.
    func answer(
        to challenge: URLAuthenticationChallenge
    ) -> (URLSession.AuthChallengeDisposition, URLCredential?) {
        recordActivity()
        let space = challenge.protectionSpace
        let settings = wire.settings.trust
        let answer = ChallengeAnswer(
            to: ChallengeAnswer.Subject(space), ofProxy: space.isProxy(),
            previousFailures: challenge.previousFailureCount, hasTrustSettings: !settings.isSystems,
            hasCredentials: request.authentication != nil)
        switch answer {
        case .serverTrust:
            guard let trust = space.serverTrust else { break }
            if let failure = settings.refusal(of: trust, host: CanonicalHost.of(space.host) ?? "") {
                ownFailure = failure
                return (.cancelAuthenticationChallenge, nil)
            }
            return (.useCredential, URLCredential(trust: trust))
        case .clientIdentity:
            guard let identity = wire.settings.identity(forHost: space.host, port: space.port) else { break }
            return (.useCredential, identity.credential)
        case .credentials:
            guard let authentication = request.authentication else { break }
            let credential = URLCredential(
                user: authentication.user, password: authentication.password, persistence: .none)
            return (.useCredential, credential)
        case .nextScheme: return (.rejectProtectionSpace, nil)
        case .systemDefault: break
        }
        return (.performDefaultHandling, nil)
    }
}

extension ChallengeAnswer.Subject {
    fileprivate init(_ space: URLProtectionSpace) {
        self =
            switch space.authenticationMethod {
            case NSURLAuthenticationMethodServerTrust: .serverTrust
            case NSURLAuthenticationMethodClientCertificate: .clientCertificate
            case NSURLAuthenticationMethodHTTPDigest: .digest
            default: .other
            }
    }
}
#endif
