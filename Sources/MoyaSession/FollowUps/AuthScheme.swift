import MoyaTransport

/// An authentication scheme for answers to challenges.
enum AuthScheme: String, CaseIterable {
    // In order of preference: a scheme that never sends the password, then one that needs no domain, then one that
    // reveals the password.
    case digest = "Digest"
    case negotiate = "Negotiate"
    case ntlm = "NTLM"
    case basic = "Basic"

    /// The preferred scheme among those that a server offers (RFC 9110 section 11.6.1).
    ///
    /// - Parameter refused: A scheme whose answer was refused.
    static func strongest(in challenges: [AuthenticationChallenge], except refused: AuthScheme?) -> AuthScheme? {
        allCases.first { $0 != refused && $0.challenge(in: challenges) != nil }
    }

    /// The transport's scheme; `nil` if the session answers the challenge itself.
    var carriedOutByTransport: TransportAuthentication.Scheme? {
        switch self {
        case .digest: .digest
        case .negotiate: .negotiate
        case .ntlm: .ntlm
        case .basic: nil
        }
    }

    func challenge(in challenges: [AuthenticationChallenge]) -> AuthenticationChallenge? {
        challenges.first { ASCII.equalIgnoringCase($0.scheme, rawValue) }
    }
}
