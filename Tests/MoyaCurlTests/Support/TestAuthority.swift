#if os(Linux)
import Foundation
import MoyaTransport

/// A certificate authority with servers, its revocation list and an OCSP response, made by OpenSSL for one test.
///
/// - `root` has issued `good`, `revoked`, which is revoked, and `intermediate`, which is revoked too.
/// - `intermediate` has issued `below`.
///
/// Servers are at 127.0.0.1.
final class TestAuthority: Sendable {
    let folder: SocketFolder

    static let isAvailable = system("command -v openssl >/dev/null") == 0

    struct CannotBeMade: Error {}

    init() throws {
        folder = try SocketFolder()
        try Data(Self.settings.utf8).write(to: URL(fileURLWithPath: folder["openssl.cnf"]))
        guard let output = popen("cd '\(folder.path)' && { \(Self.commands) } >log 2>&1", "r"), pclose(output) == 0
        else { throw CannotBeMade() }
    }

    /// The DER form of a certificate.
    func certificate(_ name: String) throws -> Data {
        let file = try Data(contentsOf: URL(fileURLWithPath: folder["\(name).pem"]))
        guard let certificate = CertificateForm.certificates(in: file)?.first else { throw CannotBeMade() }
        return certificate
    }

    /// The DER form of the root's list.
    func revocationList() throws -> Data { try Data(contentsOf: URL(fileURLWithPath: folder["root.crl"])) }

    private static let settings = """
        [req]
        distinguished_name = name
        [name]
        [authority]
        basicConstraints = critical, CA:TRUE
        keyUsage = critical, keyCertSign, cRLSign, digitalSignature
        [server]
        basicConstraints = critical, CA:FALSE
        subjectAltName = IP:127.0.0.1
        [ca]
        default_ca = settings
        [settings]
        database = index.txt
        default_md = sha256
        default_crl_days = 2

        """

    /// The serial numbers are those in the database of the authority, which lists only the revoked certificates.
    private static let commands = #"""
        set -e
        make() {
            name=$1 extensions=$2 serial=$3
            shift 3
            openssl req -config openssl.cnf -new -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 \
                -keyout "$name.key" -out "$name.pem" -subj "/CN=$name" -extensions "$extensions" \
                -set_serial "$serial" "$@"
        }
        make root authority 1
        make good server 2 -CA root.pem -CAkey root.key
        make revoked server 3 -CA root.pem -CAkey root.key
        make intermediate authority 4 -CA root.pem -CAkey root.key
        make below server 5 -CA intermediate.pem -CAkey intermediate.key
        for entry in 03:revoked 04:intermediate; do
            printf 'R\t991231000000Z\t200101000000Z\t%s\tunknown\t/CN=%s\n' "${entry%:*}" "${entry#*:}"
        done >index.txt
        openssl ca -config openssl.cnf -gencrl -cert root.pem -keyfile root.key -out root.crl.pem
        openssl crl -in root.crl.pem -outform DER -out root.crl
        openssl ocsp -index index.txt -CA root.pem -rsigner root.pem -rkey root.key -issuer root.pem \
            -cert revoked.pem -respout revoked.ocsp -ndays 2
        """# + "\n"
}
#endif
