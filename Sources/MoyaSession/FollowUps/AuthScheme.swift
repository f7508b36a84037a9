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
    ///   - lines: The challenges of each field line.
    ///   - refused: A scheme whose answer was refused.
    ///   - supported: The schemes that the transport answers.
    ///   - hasBody: `true` if the request has a body that is not empty.
    static func strongest(
        in lines: [[AuthenticationChallenge]], except refused: AuthScheme?,
        of supported: Set<TransportAuthentication.Scheme>, hasBody: Bool
    ) -> AuthScheme? {
        allCases.first { scheme in
            scheme != refused && scheme.transportScheme.map(supported.contains) ?? true
                && scheme.isAnswerable(in: lines, hasBody: hasBody)
        }
    }

    private func isAnswerable(in lines: [[AuthenticationChallenge]], hasBody: Bool) -> Bool {
        // libcurl answers the first line with Digest, and mixes all parameters of that line.
        let line = lines.first { challenge(in: $0) != nil }?.filter(isOfScheme)
        guard let line, let first = line.first else { return false }
        return self != .digest
            || line.allSatisfy {
                $0.value(of: "realm") == first.value(of: "realm") && $0.isAnswerableDigest(hasBody: hasBody)
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
        challenges.first(where: isOfScheme)
    }

    private func isOfScheme(_ challenge: AuthenticationChallenge) -> Bool {
        ASCII.equalIgnoringCase(challenge.scheme, rawValue)
    }
}

extension AuthenticationChallenge {
    /// `true` if every supported libcurl answers this Digest challenge as RFC 7616 requires.
    ///
    /// It would answer SHA-512-256 with another hash, and `auth-int` with the hash of an empty body.
    fileprivate func isAnswerableDigest(hasBody: Bool) -> Bool {
        let algorithm = value(of: "algorithm") ?? "MD5"
        guard value(of: "nonce") != nil,
            ["MD5", "MD5-sess", "SHA-256", "SHA-256-sess"].contains(where: {
                ASCII.equalIgnoringCase($0, algorithm)
            })
        else { return false }
        guard let options = value(of: "qop")?.split(separator: ","), !options.isEmpty else { return true }
        func offers(_ name: String) -> Bool {
            options.contains { ASCII.equalIgnoringCase(String($0.drop { $0 == " " || $0 == "\t" }), name) }
        }
        return offers("auth") || !hasBody && offers("auth-int")
    }
}
