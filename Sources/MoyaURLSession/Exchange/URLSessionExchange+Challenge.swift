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
        let (disposition, credential, failure) = wire.answer(to: challenge, authentication: request.authentication)
        if let failure { ownFailure = failure }
        return (disposition, credential)
    }
}

extension URLSessionWire {
    private static var mostRefusals: Int { 1_000 }

    /// Answers a challenge for an exchange that has ended: others may wait for its connection, so that the trust settings
    /// and the client certificate apply.
    func answer(
        toLate challenge: URLAuthenticationChallenge
    ) -> (URLSession.AuthChallengeDisposition, URLCredential?) {
        let (disposition, credential, _) = answer(to: challenge, authentication: nil)
        return (disposition, credential)
    }

    /// Answers a challenge, and returns the reason for refusing a server.
    fileprivate func answer(
        to challenge: URLAuthenticationChallenge, authentication: TransportAuthentication?
    ) -> (URLSession.AuthChallengeDisposition, URLCredential?, TransportFailure?) {
        let space = challenge.protectionSpace
        let isSystems = settings.trust.leavesToSystem(CanonicalHost.of(space.host) ?? "")
        let answer = ChallengeAnswer(
            to: ChallengeAnswer.Subject(space), ofProxy: space.isProxy(),
            previousFailures: challenge.previousFailureCount, hasTrustSettings: !isSystems,
            hasCredentials: authentication != nil)
        switch answer {
        case .serverTrust: return self.answer(toServerTrustOf: space)
        case .clientIdentity:
            guard let identity = settings.identity(forHost: space.host, port: space.port) else { break }
            return (.useCredential, identity.credential, nil)
        case .credentials:
            guard let authentication else { break }
            let credential = URLCredential(
                user: authentication.user, password: authentication.password, persistence: .none)
            return (.useCredential, credential, nil)
        case .nextScheme: return (.rejectProtectionSpace, nil, nil)
        case .systemDefault: break
        }
        return (.performDefaultHandling, nil, nil)
    }

    /// Evaluates a server, and returns the reason for a refusal.
    private func answer(
        toServerTrustOf space: URLProtectionSpace
    ) -> (URLSession.AuthChallengeDisposition, URLCredential?, TransportFailure?) {
        guard let trust = space.serverTrust else { return (.performDefaultHandling, nil, nil) }
        let host = CanonicalHost.of(space.host) ?? ""
        let failure = settings.trust.refusal(of: trust, host: host)
        // Hosts that a server chooses must not fill the memory.
        if refusals.count >= Self.mostRefusals { refusals = [:] }
        refusals[host] = failure
        if let failure { return (.cancelAuthenticationChallenge, nil, failure) }
        return (.useCredential, URLCredential(trust: trust), nil)
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
