#if os(Linux)
import CMoyaCurl
import Foundation
import MoyaTransport

/// Reads the trusted root certificates early, so that a malformed one is reported before it is needed.
enum CertificateAuthoritiesReader {
    /// The certificates for libcurl as bytes; `nil` for the system's store and for a file, which libcurl reads itself.
    static func read(
        _ authorities: TransportConfiguration.CertificateAuthorities
    ) throws(TransportFailure) -> PEMText? {
        switch authorities {
        case .system:
            return nil
        case .file(let url):
            let content: Data
            do throws(RegularFile.Refusal) {
                content = try RegularFile.contents(of: url)
            } catch {
                throw failure("the file \(url.path) \(error)")
            }
            try check(content, named: "the file \(url.path)", text: PEMText())
            return nil
        case .certificates(let certificates):
            guard !certificates.isEmpty else {
                throw failure(
                    "the list is empty, so that no server could be trusted. Add a certificate, or use .system.")
            }
            let text = PEMText()
            for (index, certificate) in certificates.enumerated() {
                try check(certificate, named: "element \(index)", text: text)
            }
            return text
        }
    }

    /// Checks a previously valid file before libcurl opens it for a new connection: libcurl would wait for a pipe.
    static func failureOfFile(_ authorities: TransportConfiguration.CertificateAuthorities) -> TransportFailure? {
        guard case .file(let url) = authorities else { return nil }
        do throws(RegularFile.Refusal) {
            _ = try RegularFile(at: try RegularFile.path(of: url))
            return nil
        } catch {
            return failure("the file \(url.path) \(error)")
        }
    }

    private static func check(
        _ content: Data, named name: String, text: PEMText
    ) throws(TransportFailure) {
        switch text.append(content) {
        case 0: throw failure("\(name) holds no certificate.")
        case ..<0: throw failure("\(name) holds something that is no certificate, in neither PEM nor DER form.")
        default: break
        }
    }

    private static func failure(_ message: String) -> TransportFailure {
        TransportFailure(.tls(.certificateAuthorities), message: "certificateAuthorities: \(message)")
    }
}
#endif
