import Foundation
import Moya
import MoyaSession

extension TrustCase {
    /// Each invalid server with each evaluator, with the server's own certificate or key as the pin.
    static let badServers: [TrustCase] = [
        ("expired", "expired"),
        ("not-yet-valid", "notYetValid"),
        ("wrong-host", "wrongHost"),
        ("foreign", "unknownIssuer"),
        ("missing-intermediate", "unknownIssuer"),
        ("self-signed", "selfSigned"),
        ("wrong-purpose", "wrongPurpose"),
        ("tampered", "invalidSignature"),
    ].flatMap { server, reason in
        let own = "servers/\(server).pem"
        return [
            TrustCase(server, "platform", reason) { _ in nil },
            TrustCase(server, "default", reason) { _ in .default },
            TrustCase(server, "default", reason, tls: .v12) { _ in .default },
            TrustCase(server, "pinned certificates: its own", reason) {
                .pinnedCertificates(certificates: [try $0.file(own)])
            },
            TrustCase(server, "public keys: its own", reason) { .publicKeys(keys: [try $0.file(own)]) },
            TrustCase(server, "revocation", reason) { _ in .revocationChecking },
            TrustCase(server, "revocation", reason, tls: .v12) { _ in .revocationChecking },
            TrustCase(server, "composite: own pins, default", reason) {
                .composite(evaluators: [
                    .pinnedCertificates(
                        certificates: [try $0.file(own)], performDefaultValidation: false, validateHost: false),
                    .default,
                ])
            },
        ]
    }

    /// Servers with matching, other or missing pins.
    static let pins: [TrustCase] = [
        TrustCase("good-ec", "pinned certificates: another's", "certificatePinningFailed") {
            .pinnedCertificates(certificates: [try $0.file("servers/self-signed.pem")])
        },
        TrustCase("good-ec", "pinned certificates: another's", "certificatePinningFailed", tls: .v12) {
            .pinnedCertificates(certificates: [try $0.file("servers/self-signed.pem")])
        },
        TrustCase("good-ec", "pinned certificates: none", "noCertificatesFound") { _ in
            .pinnedCertificates(certificates: [])
        },
        TrustCase("good-ec", "pinned certificates: garbage", "invalidEvaluator") { _ in
            .pinnedCertificates(certificates: [Data("garbage".utf8)])
        },
        TrustCase("sent-along", "pinned certificates: those sent along", "certificatePinningFailed") {
            .pinnedCertificates(certificates: [try $0.file("servers/good-ec.pem")], performDefaultValidation: false)
        },
        TrustCase("good-rsa", "public keys: another's", "publicKeyPinningFailed") {
            .publicKeys(keys: [try $0.file("servers/self-signed.pem")])
        },
        TrustCase("good-rsa", "public keys: none", "noPublicKeysFound") { _ in .publicKeys(keys: []) },
        TrustCase("good-rsa", "public keys: garbage", "invalidEvaluator") { _ in
            .publicKeys(keys: [Data("garbage".utf8)])
        },
        TrustCase("sent-along", "public keys: those sent along", "publicKeyPinningFailed") {
            .publicKeys(keys: [try $0.file("servers/good-ec.pem")], performDefaultValidation: false)
        },
        TrustCase("wrong-host", "public keys: its own, only the name validated", "wrongHost") {
            .publicKeys(keys: [try $0.file("servers/wrong-host.pem")], performDefaultValidation: false)
        },
        TrustCase("expired", "pinned certificates: its own, as anchor", "expired") {
            .pinnedCertificates(
                certificates: [try $0.file("servers/expired.pem")], acceptSelfSignedCertificates: true)
        },
        TrustCase("good-ec", "composite: default, pins of another", "certificatePinningFailed") {
            .composite(evaluators: [
                .default, .pinnedCertificates(certificates: [try $0.file("servers/self-signed.pem")]),
            ])
        },
        TrustCase("good-ec", "composite: of none", "invalidEvaluator") { _ in .composite(evaluators: []) },
        TrustCase("good-ec", "one of the user's own", "customEvaluationFailed") { _ in Unwilling() },
        TrustCase(unlisted: "good-ec", "none for the host", "noRequiredEvaluator", allHostsMustBeEvaluated: true),
        TrustCase(unlisted: "expired", "none needed for the host", "expired", allHostsMustBeEvaluated: false),
    ]

    /// An evaluator as a user may write it.
    private struct Unwilling: ServerTrustEvaluating {
        struct Refusal: Error {}

        func evaluate(_ trust: PresentedServerTrust, forHost host: String) throws { throw Refusal() }
    }
}
