#if canImport(Darwin)
import Foundation
import MoyaTransport
import Security

/// The trust settings of a transport.
///
/// `@unchecked`: certificates of `Security` are immutable.
struct ServerTrustSettings: @unchecked Sendable {
    let policy: (any TransportTrustPolicy)?
    /// The trusted root certificates; `nil` for the system's.
    var anchors: [SecCertificate]?

    init(policy: (any TransportTrustPolicy)?) { self.policy = policy }

    /// `true` if the system alone decides about a host: unlike here, it requests missing certificates of a chain.
    func leavesToSystem(_ host: String) -> Bool {
        guard anchors == nil else { return false }
        guard let policy else { return true }
        return (policy as? any PartialTrustPolicy)?.leavesToSystem(host) ?? false
    }

    /// The reason that a server is refused; `nil` if it is trusted.
    func refusal(of trust: SecTrust, host: String) -> TransportFailure? {
        PresentedServerTrust.evaluating(trust, host: host, anchors: anchors) { refusal(of: $0) }
    }

    private func refusal(of server: PresentedServerTrust) -> TransportFailure? {
        guard let policy else {
            guard let refusal = server.refusal(of: PlatformValidation()) else { return nil }
            return TransportFailure(.tls(.untrusted), message: refusal.message, cause: refusal)
        }
        do {
            try policy.evaluate(server)
            return nil
        } catch {
            return TransportFailure(
                .tls(.refusedByPolicy), message: "The trust policy refused \(server.host): \(error)", cause: error)
        }
    }

    /// Reads the certificate authorities of a configuration; `nil` for the system's.
    static func anchors(
        _ authorities: TransportConfiguration.CertificateAuthorities
    ) throws(TransportFailure) -> [SecCertificate]? {
        let contents: [Data]
        switch authorities {
        case .system: return nil
        case .certificates(let values): contents = values
        case .file(let url):
            do throws(RegularFile.Refusal) {
                contents = [try RegularFile.contents(of: url)]
            } catch {
                throw unreadable("the file \(url.path) \(error).")
            }
        }
        var anchors: [SecCertificate] = []
        for (index, content) in contents.enumerated() {
            guard let certificates = CertificateForm.certificates(in: content) else {
                throw unreadable("value \(index + 1) of \(contents.count) holds no certificate, or a broken one.")
            }
            let read = certificates.compactMap { SecCertificateCreateWithData(nil, $0 as CFData) }
            guard read.count == certificates.count else {
                throw unreadable("value \(index + 1) of \(contents.count) holds a certificate that cannot be read.")
            }
            anchors += read
        }
        guard !anchors.isEmpty else { throw unreadable("there are none.") }
        return anchors
    }

    private static func unreadable(_ message: String) -> TransportFailure {
        TransportFailure(.tls(.certificateAuthorities), message: "certificateAuthorities: \(message)")
    }
}
#endif
