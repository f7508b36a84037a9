/// The kind of answer that a challenge gets, apart from the types of the systems that ask: decided the same everywhere.
enum ChallengeAnswer: Equatable {
    /// That of the system; a 401 is then the response, and the caller decides about it.
    case systemDefault
    /// The result of the transport's trust settings.
    case serverTrust
    /// The client's certificate, where it is for the server.
    case clientIdentity
    /// The user and the password of the request.
    case credentials

    /// The subject of a challenge.
    enum Subject: Equatable {
        case serverTrust
        case clientCertificate
        case digest
        case other
    }

    /// Decides; a proxy gets neither the certificate nor the password that are meant for a server.
    ///
    /// - Parameters:
    ///   - previousFailures: The number of answers that were refused; a password is sent once.
    ///   - hasTrustSettings: `false` if the system decides alone about servers.
    ///   - hasCredentials: `true` if the request has a user and a password.
    init(
        to subject: Subject, ofProxy isProxy: Bool, previousFailures: Int, hasTrustSettings: Bool, hasCredentials: Bool
    ) {
        self =
            switch subject {
            case .serverTrust: hasTrustSettings ? .serverTrust : .systemDefault
            case .clientCertificate: isProxy ? .systemDefault : .clientIdentity
            case .digest: !isProxy && hasCredentials && previousFailures == 0 ? .credentials : .systemDefault
            case .other: .systemDefault
            }
    }
}
