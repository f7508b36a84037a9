public import Foundation

/// Trusts a server of whose certificates none was revoked, as far as that is known.
///
/// On Linux nothing is fetched from the network. Two sources speak: the OCSP response that a server staples to its
/// handshake, for the server's own certificate; and the revocation lists given here, for the certificates of the
/// authorities that signed them. A certificate of unknown status passes, unless
/// ``Options-swift.struct/requirePositiveResponse`` is set: then every certificate below the anchor must be shown to be
/// good, so that a chain with intermediate authorities needs the lists that cover these.
public final class RevocationTrustEvaluator: ServerTrustEvaluating {
    /// The sources and the strictness of the revocation check.
    public struct Options: OptionSet, Sendable, Hashable {
        /// The bits, as Security.framework has them.
        public let rawValue: UInt

        /// Makes options from bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// OCSP: on Linux the stapled response.
        public static let ocsp = Options(rawValue: 1 << 0)
        /// Revocation lists: on Linux those given to the evaluator.
        public static let crl = Options(rawValue: 1 << 1)
        /// Lists before OCSP; of no effect on Linux, where both are at hand and either's word counts.
        public static let preferCRL = Options(rawValue: 1 << 2)
        /// A certificate whose revocation status cannot be checked is refused.
        public static let requirePositiveResponse = Options(rawValue: 1 << 3)
        /// Nothing is fetched; on Linux nothing ever is.
        public static let networkAccessDisabled = Options(rawValue: 1 << 4)
        /// Either way.
        public static let any: Options = [.ocsp, .crl]
    }

    private let performDefaultValidation: Bool
    private let validateHost: Bool
    private let options: Options
    private let lists: Result<[Data], SessionError>

    /// Makes an evaluator.
    ///
    /// A list that cannot be read makes it refuse every server.
    ///
    /// - Parameters:
    ///   - performDefaultValidation: `true` if the chain must be valid too, its keys and signatures strong enough
    ///     included.
    ///   - validateHost: `true` if the certificate's names must match the host.
    ///   - options: The sources that count, both where none is named; and whether one must answer.
    ///   - revocationLists: Each value one list in DER form, or any number in PEM form (`X509 CRL`). A list that is out of
    ///     date shows who was revoked, and no longer who was not.
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

    /// Runs the requested checks of the platform, then looks for revoked certificates in the chain.
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
