public import Foundation

/// Trusts a server with one of a set of certificates anywhere in its chain.
///
/// An unrelated certificate that the server also sends, but that issues nothing in its chain, does not match.
public final class PinnedCertificatesTrustEvaluator: ServerTrustEvaluating {
    private let pins: Result<[Data], SessionError>
    private let acceptSelfSignedCertificates: Bool
    private let performDefaultValidation: Bool
    private let validateHost: Bool

    /// Makes an evaluator.
    ///
    /// With an unreadable certificate it refuses every server with
    /// ``SessionError/ServerTrustFailureReason/invalidEvaluator(setting:problem:)``.
    ///
    /// - Parameters:
    ///   - certificates: The pinned certificates, each value one in DER form or any number in PEM form; by default
    ///     those of the main bundle (`cer`, `crt`, `der`).
    ///   - acceptSelfSignedCertificates: `true` if the pinned certificates are the only anchors.
    ///   - performDefaultValidation: `true` to validate the chain as well. Otherwise dates, purpose and the strength of
    ///     the server's own certificate are not checked. On Linux a pin further up in the chain still matches only if
    ///     each certificate above the first is an authority, and no key and no signature below it is too weak for OpenSSL's
    ///     security level. On Apple platforms, the check of
    ///     the host includes dates and purpose.
    ///   - validateHost: `true` if the certificate's names must match the host.
    public init(
        certificates: [Data] = Bundle.main.pinnedCertificates,
        acceptSelfSignedCertificates: Bool = false,
        performDefaultValidation: Bool = true,
        validateHost: Bool = true
    ) {
        pins = EvaluatorSetting.read(
            certificates, named: "certificates", problem: "holds no certificate, in neither DER nor PEM form",
            with: CertificateForm.certificates)
        self.acceptSelfSignedCertificates = acceptSelfSignedCertificates
        self.performDefaultValidation = performDefaultValidation
        self.validateHost = validateHost
    }

    /// Makes an evaluator from certificates in files, each in DER or PEM form.
    ///
    /// - Throws: ``SessionError/ServerTrustFailureReason/invalidEvaluator(setting:problem:)`` for an unreadable file.
    public convenience init(
        files: [URL],
        acceptSelfSignedCertificates: Bool = false,
        performDefaultValidation: Bool = true,
        validateHost: Bool = true
    ) throws {
        self.init(
            certificates: try EvaluatorSetting.contents(of: files, for: "files"),
            acceptSelfSignedCertificates: acceptSelfSignedCertificates,
            performDefaultValidation: performDefaultValidation, validateHost: validateHost)
    }

    /// Runs the requested platform checks, then looks for a pinned certificate in the chain.
    public func evaluate(_ trust: PresentedServerTrust, forHost host: String) throws {
        let certificates = try pins.get()
        guard !certificates.isEmpty else {
            throw SessionError.serverTrustEvaluationFailed(reason: .noCertificatesFound)
        }
        let anchors = acceptSelfSignedCertificates ? certificates : nil
        try trust.pass(
            validatingChain: performDefaultValidation, anchors: anchors, validatingHost: validateHost)
        // A chain that is valid without other anchors leads to one of them, even if the server does not send it.
        if anchors != nil, performDefaultValidation { return }
        guard trust.certificates.contains(where: certificates.contains) else {
            throw SessionError.serverTrustEvaluationFailed(
                reason: .certificatePinningFailed(
                    host: host, pinnedCertificates: certificates.count, serverCertificates: trust.certificates.count))
        }
    }
}
