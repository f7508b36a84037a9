import MoyaTransport

/// An authentication scheme for answers to challenges.
enum AuthScheme: String, CaseIterable {
    // In order of preference: a scheme that never sends the password, then one that needs no domain, then one that
    // reveals the password.
    case digest = "Digest"
    case negotiate = "Negotiate"
    case ntlm = "NTLM"
    case basic = "Basic"

    /// The preferred scheme among those that a server offers (RFC 9110 section 11.6.1) and that can be answered.
    ///
    /// - Parameters:
    ///   - refused: A scheme whose answer was refused.
    ///   - supported: The schemes that the transport answers.
    static func strongest(
        in challenges: [AuthenticationChallenge], except refused: AuthScheme?,
        of supported: Set<TransportAuthentication.Scheme>
    ) -> AuthScheme? {
        allCases.first { scheme in
            scheme != refused && scheme.challenge(in: challenges) != nil
                && scheme.transportScheme.map(supported.contains) ?? true
        }
    }

    /// The transport's scheme; `nil` if the session answers the challenge itself.
    var transportScheme: TransportAuthentication.Scheme? {
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
