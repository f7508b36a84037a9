public import Foundation

/// Trusts a server unless one of its certificates is known to be revoked.
///
/// Nothing is fetched from the network. On Linux there are two sources: the OCSP response that a server staples to its
/// handshake, for the server's own certificate; and the given revocation lists, for the certificates of the authorities
/// that signed them. A certificate of unknown status passes, unless ``Options-swift.struct/requirePositiveResponse`` is
/// set: then every certificate below the anchor must be proved good, so a chain with intermediate authorities needs the
/// lists that cover these.
///
/// On Apple platforms, the system decides by the stapled response and by the data that it already has. It takes no
/// revocation lists of an app: an evaluator with lists refuses every server there, unless its options exclude
/// ``Options-swift.struct/crl``.
///
/// The authorities of a server are known from the certificates that it sends and from the session's. To check a server
/// of another authority, combine the evaluator with ``PinnedCertificatesTrustEvaluator`` in a
/// ``CompositeTrustEvaluator``: it also knows the certificates that the other one accepts as anchors.
public final class RevocationTrustEvaluator: ServerTrustEvaluating {
    /// The sources and the strictness of the revocation check.
    public struct Options: OptionSet, Sendable, Hashable {
        /// The bits, as in Security.framework.
        public let rawValue: UInt

        /// Makes options from bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// The stapled OCSP response; on Apple platforms also the data that the system has.
        public static let ocsp = Options(rawValue: 1 << 0)
        /// The revocation lists given to the evaluator; with any, every server is refused on Apple platforms.
        public static let crl = Options(rawValue: 1 << 1)
        /// Lists before OCSP; without effect, because both are available and either one counts.
        public static let preferCRL = Options(rawValue: 1 << 2)
        /// Refuses a certificate whose revocation status cannot be checked.
        public static let requirePositiveResponse = Options(rawValue: 1 << 3)
        /// Fetches nothing; without effect, because this is always the case.
        public static let networkAccessDisabled = Options(rawValue: 1 << 4)
        /// Both sources.
        public static let any: Options = [.ocsp, .crl]
    }

    private let performDefaultValidation: Bool
    private let validateHost: Bool
    private let options: Options
    private let lists: Result<[Data], SessionError>

    /// Makes an evaluator.
    ///
    /// With an unreadable list it refuses every server.
    ///
    /// - Parameters:
    ///   - performDefaultValidation: `true` to validate the chain as well, including the strength of keys and
    ///     signatures, against the session's authorities.
    ///   - validateHost: `true` if the certificate's names must match the host.
    ///   - options: The sources, both if none is named, and whether a positive result is required.
    ///   - revocationLists: Each value one list in DER form, or any number in PEM form (`X509 CRL`); only for Linux. An
    ///     outdated list still proves revocations, but not their absence.
    public init(
        performDefaultValidation: Bool = true,
        validateHost: Bool = true,
        options: Options = .any,
        revocationLists: [Data] = []
    ) {
        self.performDefaultValidation = performDefaultValidation
        self.validateHost = validateHost
        self.options = options.isDisjoint(with: .any) ? options.union(.any) : options
        lists = EvaluatorSetting.read(
            revocationLists, named: "revocationLists", problem: "holds no revocation list, in neither DER nor PEM form",
            with: CertificateForm.revocationLists)
    }

    /// Runs the requested platform checks, then looks for revoked certificates in the chain.
    public func evaluate(_ trust: PresentedServerTrust, forHost host: String) throws {
        let lists = try lists.get()
        try trust.pass(validatingChain: performDefaultValidation, anchors: nil, validatingHost: validateHost)
        let check = RevocationCheck(
            usesStapledResponse: options.contains(.ocsp),
            revocationLists: options.contains(.crl) ? lists : [],
            requiresPositiveResponse: options.contains(.requirePositiveResponse))
        if let refusal = trust.refusal(of: check) { throw SessionError(refusal) }
    }
}
