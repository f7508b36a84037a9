public import Foundation

extension ServerTrustEvaluating where Self == DefaultTrustEvaluator {
    /// Judges a server as the system does, its name included.
    public static var `default`: DefaultTrustEvaluator { DefaultTrustEvaluator() }

    /// Judges a server as the system does.
    public static func `default`(validateHost: Bool) -> DefaultTrustEvaluator {
        DefaultTrustEvaluator(validateHost: validateHost)
    }
}

extension ServerTrustEvaluating where Self == RevocationTrustEvaluator {
    /// Refuses a server of which a certificate is known to be revoked.
    public static var revocationChecking: RevocationTrustEvaluator { RevocationTrustEvaluator() }

    /// Refuses a server of which a certificate was revoked or, with that option, is not known to be good.
    public static func revocationChecking(
        performDefaultValidation: Bool = true,
        validateHost: Bool = true,
        options: RevocationTrustEvaluator.Options = .any,
        revocationLists: [Data] = []
    ) -> RevocationTrustEvaluator {
        RevocationTrustEvaluator(
            performDefaultValidation: performDefaultValidation, validateHost: validateHost, options: options,
            revocationLists: revocationLists)
    }
}

extension ServerTrustEvaluating where Self == PinnedCertificatesTrustEvaluator {
    /// Trusts a server that shows one of the main bundle's certificates.
    public static var pinnedCertificates: PinnedCertificatesTrustEvaluator { PinnedCertificatesTrustEvaluator() }

    /// Trusts a server that shows one of these certificates.
    public static func pinnedCertificates(
        certificates: [Data] = Bundle.main.pinnedCertificates,
        acceptSelfSignedCertificates: Bool = false,
        performDefaultValidation: Bool = true,
        validateHost: Bool = true
    ) -> PinnedCertificatesTrustEvaluator {
        PinnedCertificatesTrustEvaluator(
            certificates: certificates, acceptSelfSignedCertificates: acceptSelfSignedCertificates,
            performDefaultValidation: performDefaultValidation, validateHost: validateHost)
    }
}

extension ServerTrustEvaluating where Self == PublicKeysTrustEvaluator {
    /// Trusts a server that shows one of the keys of the main bundle's certificates.
    public static var publicKeys: PublicKeysTrustEvaluator { PublicKeysTrustEvaluator() }

    /// Trusts a server that shows one of these keys.
    public static func publicKeys(
        keys: [Data] = Bundle.main.pinnedPublicKeys,
        performDefaultValidation: Bool = true,
        validateHost: Bool = true
    ) -> PublicKeysTrustEvaluator {
        PublicKeysTrustEvaluator(
            keys: keys, performDefaultValidation: performDefaultValidation, validateHost: validateHost)
    }
}

extension ServerTrustEvaluating where Self == CompositeTrustEvaluator {
    /// Trusts a server only when each of these evaluators does.
    public static func composite(evaluators: [any ServerTrustEvaluating]) -> CompositeTrustEvaluator {
        CompositeTrustEvaluator(evaluators: evaluators)
    }
}

extension ServerTrustEvaluating where Self == DisabledTrustEvaluator {
    /// Trusts every server: for tests against servers of one's own, never for release.
    public static var disabled: DisabledTrustEvaluator { DisabledTrustEvaluator() }
}
