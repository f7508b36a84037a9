import Foundation
import Moya
import MoyaSession

extension TrustCase {
    /// Servers with a key or a signature that OpenSSL's security level refuses (Debian's level 2 requires 112 bits), in
    /// their own certificate or above it, with each evaluator that validates chains, and with pins that do not.
    static let weakServers: [TrustCase] =
        judgedByAll(["weak-key", "sha1", "md5", "weak-key-above", "sha1-above", "md5-above"], "weakCryptography")
        + ["weak-key", "sha1", "md5", "weak-key-above", "sha1-above", "md5-above"].flatMap { server in
            let anchor = server.hasSuffix("-above") ? "root.pem" : "servers/\(server).pem"
            return [TrustServers.TLS.v12, .v13].map { tls in
                TrustCase(server, "pinned certificates: an anchor", "weakCryptography", tls: tls) {
                    .pinnedCertificates(certificates: [try $0.file(anchor)], acceptSelfSignedCertificates: true)
                }
            }
        }
        // A certificate above a weak signature or a weak key may be forged.
        + ["sha1", "md5", "sha1-above", "md5-above"].flatMap { server in
            [
                TrustCase(server, "pinned certificates: the root's, not validated", "certificatePinningFailed") {
                    .pinnedCertificates(certificates: [try $0.file("root.pem")], performDefaultValidation: false)
                },
                TrustCase(server, "public keys: the root's, not validated", "publicKeyPinningFailed") {
                    .publicKeys(keys: [try $0.file("root.pem")], performDefaultValidation: false)
                },
            ]
        } + [
            TrustCase(
                "weak-key-above", "pinned certificates: its authority's, not validated", "certificatePinningFailed"
            ) {
                .pinnedCertificates(
                    certificates: [try $0.file("weak-key-authority.pem")], performDefaultValidation: false)
            },
            TrustCase("weak-key-above", "public keys: its authority's, not validated", "publicKeyPinningFailed") {
                .publicKeys(keys: [try $0.file("weak-key-authority.pem")], performDefaultValidation: false)
            },
        ]

    /// Servers whose certificate does not name the host in an accepted form (RFC 9525 section 6.3).
    static let namelessServers: [TrustCase] =
        judgedByAll(
            ["no-names", "common-name", "mail-name", "top-wildcard", "part.below", "cut-name"], "wrongHost")
        + ["no-names", "common-name", "mail-name"].map { server in
            TrustCase(server, "pinned certificates: its own, as anchor", "wrongHost") {
                .pinnedCertificates(
                    certificates: [try $0.file("servers/\(server).pem")], acceptSelfSignedCertificates: true)
            }
        }
        + ["common-name"].flatMap { server in
            [
                TrustCase(server, "public keys: its own, only the name validated", "wrongHost") {
                    .publicKeys(keys: [try $0.file("servers/\(server).pem")], performDefaultValidation: false)
                },
                TrustCase(server, "revocation, only the name validated", "wrongHost") { _ in
                    .revocationChecking(performDefaultValidation: false)
                },
            ]
        }

    /// Weak or nameless servers that a setting accepts, and similar valid ones.
    static let soundStrengthsAndNames: [TrustCase] =
        ["weak-key", "sha1", "md5"].flatMap { server in
            [
                TrustCase(server, "pinned certificates: its own, not validated", accepted) {
                    .pinnedCertificates(
                        certificates: [try $0.file("servers/\(server).pem")], performDefaultValidation: false)
                },
                TrustCase(server, "public keys: its own, not validated", accepted) {
                    .publicKeys(keys: [try $0.file("servers/\(server).pem")], performDefaultValidation: false)
                },
                TrustCase(server, "disabled", accepted) { _ in .disabled },
            ]
        }
        + [
            TrustCase("common-name", "pinned certificates: its own, as anchor, the name not validated", accepted) {
                .pinnedCertificates(
                    certificates: [try $0.file("servers/common-name.pem")], acceptSelfSignedCertificates: true,
                    validateHost: false)
            }
        ]
        + [TrustCase("common-name", "default, the name not validated", accepted) { _ in .default(validateHost: false) }]
        + judgedByAll(["below.wildcard", "xn--bcher-kva"], accepted)

    /// A host with a name outside ASCII in other spellings than its certificate's, with every evaluator.
    static let internationalHosts: [TrustCase] = ["bücher.localhost", "xn--BCHER-kva.LocalHost"].flatMap { host in
        let (server, name) = ("xn--bcher-kva", "xn--bcher-kva.localhost")
        var cases = judgedByAll([server], accepted, at: host)
        for tls in [TrustServers.TLS.v12, .v13] {
            cases.append(TrustCase(server, "disabled", accepted, tls: tls, at: host) { _ in .disabled })
            let own = TrustCase(server, "one that requires the host in ASCII", accepted, tls: tls, at: host) { _ in
                HostEvaluator(name: name)
            }
            cases.append(own)
        }
        let other = TrustCase(server, "one that requires this spelling", "customEvaluationFailed", at: host) { _ in
            HostEvaluator(name: host)
        }
        return cases + [other]
    }

    /// Each server with each validating evaluator, and with none, with both versions of TLS.
    private static func judgedByAll(_ servers: [String], _ expected: String, at host: String? = nil) -> [TrustCase] {
        servers.flatMap { server in
            let own = "servers/\(server).pem"
            return [TrustServers.TLS.v12, .v13].flatMap { tls in
                [
                    TrustCase(server, "platform", expected, tls: tls, at: host) { _ in nil },
                    TrustCase(server, "default", expected, tls: tls, at: host) { _ in .default },
                    TrustCase(server, "pinned certificates: its own", expected, tls: tls, at: host) {
                        .pinnedCertificates(certificates: [try $0.file(own)])
                    },
                    TrustCase(server, "public keys: its own", expected, tls: tls, at: host) {
                        .publicKeys(keys: [try $0.file(own)])
                    },
                    TrustCase(server, "revocation", expected, tls: tls, at: host) { _ in .revocationChecking },
                    TrustCase(server, "composite: own pins, default", expected, tls: tls, at: host) {
                        .composite(evaluators: [
                            .pinnedCertificates(
                                certificates: [try $0.file(own)], performDefaultValidation: false, validateHost: false),
                            .default,
                        ])
                    },
                ]
            }
        }
    }
}

/// An evaluator that accepts every certificate for one spelling of a host.
private struct HostEvaluator: ServerTrustEvaluating {
    struct OtherSpelling: Error {}

    let name: String

    func evaluate(_ trust: PresentedServerTrust, forHost host: String) throws {
        guard host == name, trust.host == name else { throw OtherSpelling() }
    }
}
