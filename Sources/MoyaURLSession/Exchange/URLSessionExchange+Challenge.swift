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
        let isSystems = settings.leavesToSystem(CanonicalHost.of(space.host) ?? "")
        let answer = ChallengeAnswer(
            to: ChallengeAnswer.Subject(space), ofProxy: space.isProxy(),
            previousFailures: challenge.previousFailureCount, hasTrustSettings: !isSystems,
            hasCredentials: request.authentication != nil)
        switch answer {
        case .serverTrust:
            let (disposition, credential, failure) = wire.answer(toServerTrustOf: space)
            if let failure { ownFailure = failure }
            return (disposition, credential)
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

extension URLSessionWire {
    private static var mostRefusals: Int { 1_000 }

    /// Answers a challenge for an exchange that has ended: others may wait for its connection.
    func answer(
        toLate challenge: URLAuthenticationChallenge
    ) -> (URLSession.AuthChallengeDisposition, URLCredential?) {
        guard challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodServerTrust else {
            return (.performDefaultHandling, nil)
        }
        let (disposition, credential, _) = answer(toServerTrustOf: challenge.protectionSpace)
        return (disposition, credential)
    }

    /// Evaluates a server, and returns the reason for a refusal.
    fileprivate func answer(
        toServerTrustOf space: URLProtectionSpace
    ) -> (URLSession.AuthChallengeDisposition, URLCredential?, TransportFailure?) {
        let host = CanonicalHost.of(space.host) ?? ""
        guard let trust = space.serverTrust, !settings.trust.leavesToSystem(host) else {
            return (.performDefaultHandling, nil, nil)
        }
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
