public import Foundation

/// Trusts a server with one of a set of public keys in any certificate of its chain.
///
/// A key outlives its certificates, so a server may renew its certificate without a new pin.
public final class PublicKeysTrustEvaluator: ServerTrustEvaluating {
    private let pins: Result<[Data], SessionError>
    private let performDefaultValidation: Bool
    private let validateHost: Bool

    /// Makes an evaluator.
    ///
    /// With an unreadable key it refuses every server with
    /// ``SessionError/ServerTrustFailureReason/invalidEvaluator(setting:problem:)``.
    ///
    /// - Parameters:
    ///   - keys: The pinned keys, each value a SubjectPublicKeyInfo (RFC 5280 section 4.1.2.7) or a certificate in DER
    ///     form, or any number of both in PEM form (`PUBLIC KEY`, `CERTIFICATE`); by default those of the main bundle's
    ///     certificates.
    ///   - performDefaultValidation: `true` to validate the chain as well. Otherwise dates, purpose and the strength of
    ///     the server's own certificate are not checked. On Linux a pin further up in the chain still matches only if
    ///     each certificate above the first is an authority, and no key and no signature below it is too weak for OpenSSL's
    ///     security level. On Apple platforms, the check of
    ///     the host includes dates and purpose.
    ///   - validateHost: `true` if the certificate's names must match the host.
    public init(
        keys: [Data] = Bundle.main.pinnedPublicKeys,
        performDefaultValidation: Bool = true,
        validateHost: Bool = true
    ) {
        pins = EvaluatorSetting.read(
            keys, named: "keys", problem: "holds no public key and no certificate, in neither DER nor PEM form",
            with: CertificateForm.publicKeys)
        self.performDefaultValidation = performDefaultValidation
        self.validateHost = validateHost
    }

    /// Makes an evaluator from public keys or certificates in files, each in DER or PEM form.
    ///
    /// - Throws: ``SessionError/ServerTrustFailureReason/invalidEvaluator(setting:problem:)`` for an unreadable file.
    public convenience init(
        files: [URL],
        performDefaultValidation: Bool = true,
        validateHost: Bool = true
    ) throws {
        self.init(
            keys: try EvaluatorSetting.contents(of: files, for: "files"),
            performDefaultValidation: performDefaultValidation, validateHost: validateHost)
    }

    /// Runs the requested platform checks, then looks for a pinned key in the chain.
    public func evaluate(_ trust: PresentedServerTrust, forHost host: String) throws {
        let keys = try pins.get()
        guard !keys.isEmpty else {
            throw SessionError.serverTrustEvaluationFailed(reason: .noPublicKeysFound)
        }
        try trust.pass(validatingChain: performDefaultValidation, anchors: nil, validatingHost: validateHost)
        let serverKeys = trust.publicKeys
        guard serverKeys.contains(where: keys.contains) else {
            throw SessionError.serverTrustEvaluationFailed(
                reason: .publicKeyPinningFailed(host: host, pinnedKeys: keys.count, serverKeys: serverKeys.count))
        }
    }
}
