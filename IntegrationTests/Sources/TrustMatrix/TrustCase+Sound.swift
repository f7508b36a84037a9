import Foundation
import Moya

extension TrustCase {
    /// Valid servers: they show that the evaluators do not refuse every server, and that bytes are counted.
    static let sound: [TrustCase] =
        [
            TrustCase("good-ec", "platform", accepted) { _ in nil },
            TrustCase("good-rsa", "platform", accepted) { _ in nil },
            TrustCase("good-ec", "default", accepted) { _ in .default },
            TrustCase("good-rsa", "default", accepted, tls: .v12) { _ in .default },
            pinned("good-ec", "its own", by: "servers/good-ec.pem"),
            pinned("good-rsa", "its own", by: "servers/good-rsa.pem"),
            pinned("good-ec", "its authority's", by: "intermediate.pem"),
            pinned("good-ec", "the root's, which it does not show", by: "root.pem"),
            keyed("good-ec", "its own", by: "servers/good-ec.pem"),
            keyed("good-rsa", "its own", by: "servers/good-rsa.pem"),
            keyed("good-rsa", "the root's, which it does not show", by: "root.pem"),
            TrustCase("self-signed", "pinned certificates: its own, as anchor", accepted) {
                .pinnedCertificates(
                    certificates: [try $0.file("servers/self-signed.pem")], acceptSelfSignedCertificates: true)
            },
            TrustCase("missing-intermediate", "pinned certificates: its authority's, as anchor", accepted) {
                .pinnedCertificates(
                    certificates: [try $0.file("intermediate.pem")], acceptSelfSignedCertificates: true)
            },
            TrustCase("expired", "pinned certificates: its own, only the name validated", accepted) {
                .pinnedCertificates(
                    certificates: [try $0.file("servers/expired.pem")], performDefaultValidation: false)
            },
            TrustCase("wrong-host", "public keys: its own, the name not validated", accepted) {
                .publicKeys(keys: [try $0.file("servers/wrong-host.pem")], validateHost: false)
            },
            TrustCase("wrong-host", "default, the name not validated", accepted) { _ in .default(validateHost: false) },
            TrustCase("foreign", "disabled", accepted) { _ in .disabled },
            TrustCase("good-ec", "composite: default, own pins and keys", accepted) {
                let own = [try $0.file("servers/good-ec.pem")]
                return .composite(evaluators: [
                    .default, .pinnedCertificates(certificates: own), .publicKeys(keys: own),
                ])
            },
            TrustCase(unlisted: "good-ec", "none needed for the host", accepted, allHostsMustBeEvaluated: false),
            judged("revoked", "unknown status, not required", accepted, lists: []),
            judged(
                "good-ec", "lists, required", accepted, .requirePositiveResponse, lists: ["root", "intermediate"]),
        ]
        + [TrustServers.TLS.v12, .v13].flatMap { tls in
            [
                judged(
                    "stapled-good", "staple and list, required", accepted, .requirePositiveResponse, tls: tls,
                    lists: ["root"]),
                judged(
                    "stapled-delegated", "staple of a responder and list, required", accepted, .requirePositiveResponse,
                    tls: tls, lists: ["root"]),
                judged("stapled-foreign", "staple, another authority's, not required", accepted, tls: tls, lists: []),
                judged("good-rsa", "no staple, not required", accepted, tls: tls, lists: []),
            ]
        }

    private static func pinned(_ server: String, _ whose: String, by file: String) -> TrustCase {
        TrustCase(server, "pinned certificates: \(whose)", accepted) {
            .pinnedCertificates(certificates: [try $0.file(file)])
        }
    }

    private static func keyed(_ server: String, _ whose: String, by file: String) -> TrustCase {
        TrustCase(server, "public keys: \(whose)", accepted) { .publicKeys(keys: [try $0.file(file)]) }
    }
}
