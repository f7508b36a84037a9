/// The kind of answer to a challenge, independent of platform types: the decision is the same everywhere.
enum ChallengeAnswer: Equatable {
    /// The system's answer; a 401 is then the response, and the caller handles it.
    case systemDefault
    /// The result of the transport's trust settings.
    case serverTrust
    /// The client certificate, if it is for the server.
    case clientIdentity
    /// The user and the password of the request.
    case credentials
    /// None, so that the system asks about the next scheme that the server offers.
    case nextScheme

    /// The subject of a challenge.
    enum Subject: Equatable {
        case serverTrust
        case clientCertificate
        case digest
        case other
    }

    /// Decides the answer; a proxy receives neither the certificate nor the password, which are for servers.
    ///
    /// - Parameters:
    ///   - previousFailures: The number of refused answers; a password is sent once.
    ///   - hasTrustSettings: `false` if the system alone evaluates servers.
    ///   - hasCredentials: `true` if the request has a user and a password.
    init(
        to subject: Subject, ofProxy isProxy: Bool, previousFailures: Int, hasTrustSettings: Bool, hasCredentials: Bool
    ) {
        self =
            switch subject {
            case .serverTrust: hasTrustSettings ? .serverTrust : .systemDefault
            case .clientCertificate: isProxy ? .systemDefault : .clientIdentity
            case .digest: !isProxy && hasCredentials && previousFailures == 0 ? .credentials : .systemDefault
            case .other: !isProxy && hasCredentials ? .nextScheme : .systemDefault
            }
    }
}
