public import Foundation

/// Judges a server as the system does.
public final class DefaultTrustEvaluator: ServerTrustEvaluating {
    private let validateHost: Bool

    /// Makes an evaluator.
    ///
    /// - Parameter validateHost: Whether the certificate's names must match the host.
    public init(validateHost: Bool = true) { self.validateHost = validateHost }

    /// Runs the platform's check of the chain.
    public func evaluate(_ trust: PresentedServerTrust, forHost host: String) throws {
        try trust.pass(PlatformValidation(matchesHost: validateHost))
    }
}

/// Trusts a server that shows one of a set of certificates, anywhere in its chain.
public final class PinnedCertificatesTrustEvaluator: ServerTrustEvaluating {
    private let certificates: [Data]
    private let acceptSelfSignedCertificates: Bool
    private let performDefaultValidation: Bool
    private let validateHost: Bool

    /// Makes an evaluator.
    ///
    /// - Parameters:
    ///   - certificates: The pinned certificates, in DER or PEM form; those of the main bundle (`cer`, `crt`, `der`) by default.
    ///   - acceptSelfSignedCertificates: Whether the pinned certificates alone are the anchors.
    ///   - performDefaultValidation: Whether the chain must be valid too.
    ///   - validateHost: Whether the certificate's names must match the host.
    public init(
        certificates: [Data] = Bundle.main.pinnedCertificates,
        acceptSelfSignedCertificates: Bool = false,
        performDefaultValidation: Bool = true,
        validateHost: Bool = true
    ) {
        self.certificates = certificates.map(CertificateFile.der)
        self.acceptSelfSignedCertificates = acceptSelfSignedCertificates
        self.performDefaultValidation = performDefaultValidation
        self.validateHost = validateHost
    }

    /// Runs the platform's checks that were asked for, then looks for a pinned certificate in the chain.
    public func evaluate(_ trust: PresentedServerTrust, forHost host: String) throws {
        guard !certificates.isEmpty else {
            throw SessionError.serverTrustEvaluationFailed(reason: .noCertificatesFound)
        }
        let anchors = acceptSelfSignedCertificates ? certificates : nil
        if performDefaultValidation {
            try trust.pass(PlatformValidation(matchesHost: false, validatesChain: true, anchors: anchors))
        }
        if validateHost { try trust.pass(PlatformValidation(matchesHost: true, validatesChain: false)) }
        guard trust.certificates.contains(where: certificates.contains) else {
            throw SessionError.serverTrustEvaluationFailed(
                reason: .certificatePinningFailed(
                    host: host, pinnedCertificates: certificates.count, serverCertificates: trust.certificates.count))
        }
    }
}

/// Trusts a server only when each of several evaluators does.
public final class CompositeTrustEvaluator: ServerTrustEvaluating {
    private let evaluators: [any ServerTrustEvaluating]

    /// Makes an evaluator of others.
    public init(evaluators: [any ServerTrustEvaluating]) { self.evaluators = evaluators }

    /// Asks each in turn.
    public func evaluate(_ trust: PresentedServerTrust, forHost host: String) throws {
        for evaluator in evaluators { try evaluator.evaluate(trust, forHost: host) }
    }
}

/// Trusts every server: for tests against servers of one's own, never for release.
public final class DisabledTrustEvaluator: ServerTrustEvaluating {
    /// Makes an evaluator that refuses nobody.
    public init() {}

    /// Returns.
    public func evaluate(_ trust: PresentedServerTrust, forHost host: String) throws {}
}

extension Bundle {
    /// The certificates among the bundle's resources, in DER form: files that end in `cer`, `crt` or `der`.
    public var pinnedCertificates: [Data] {
        ["cer", "CER", "crt", "CRT", "der", "DER"]
            .flatMap { paths(forResourcesOfType: $0, inDirectory: nil) }
            .compactMap { FileManager.default.contents(atPath: $0) }
            .map(CertificateFile.der)
    }
}

/// The two forms in which certificates are kept.
enum CertificateFile {
    /// The DER form of a certificate in DER or PEM form (RFC 7468); anything else stays as it is and matches nothing.
    static func der(_ content: Data) -> Data {
        let text = String(decoding: content, as: UTF8.self)
        guard let begin = text.range(of: "-----BEGIN CERTIFICATE-----"),
            let end = text.range(of: "-----END CERTIFICATE-----", range: begin.upperBound..<text.endIndex),
            let der = Data(
                base64Encoded: String(text[begin.upperBound..<end.lowerBound]), options: .ignoreUnknownCharacters)
        else { return content }
        return der
    }
}

extension PresentedServerTrust {
    /// Runs a check of the platform's.
    func pass(_ check: PlatformValidation) throws {
        if let refusal = refusal(of: check) { throw SessionError(refusal) }
    }
}

extension SessionError {
    /// Makes the error of a server that the platform refused.
    init(_ refusal: TrustRefusal) {
        self = .serverTrustEvaluationFailed(
            reason: .trustEvaluationFailed(
                error: TransportFailure(.tls(.untrusted), message: refusal.message, cause: refusal)))
    }
}
