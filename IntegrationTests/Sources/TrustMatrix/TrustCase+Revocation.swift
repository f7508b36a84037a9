import Foundation
import Moya
import MoyaSession

extension TrustCase {
    /// Servers that were revoked, and servers whose required revocation status is unknown.
    static let revocations: [TrustCase] =
        [
            judged("revoked", "list", "revoked", lists: ["intermediate"]),
            judged("revoked", "list", "revoked", tls: .v12, lists: ["intermediate"]),
            judged("revoked-authority", "list of the root", "revoked", lists: ["root"]),
            judged("revoked", "no list, required", "revocationUnknown", .requirePositiveResponse, lists: []),
            judged("good-ec", "no list, required", "revocationUnknown", .requirePositiveResponse, lists: []),
            judged(
                "good-ec", "list, none of the root's, required", "revocationUnknown", .requirePositiveResponse,
                lists: ["intermediate"]),
            judged(
                "good-ec", "list out of date, required", "revocationUnknown", .requirePositiveResponse,
                lists: ["stale", "root"]),
            judged(
                "good-ec", "lists, of which OCSP alone counts, required", "revocationUnknown",
                [.ocsp, .requirePositiveResponse], lists: ["intermediate", "root"]),
            TrustCase("good-ec", "revocation: garbage", "invalidEvaluator") { _ in
                .revocationChecking(revocationLists: [Data("garbage".utf8)])
            },
            TrustCase("good-ec", "revocation: a list that OpenSSL cannot read", "other") { _ in
                .revocationChecking(revocationLists: [Data([0x30, 0])])
            },
        ] + stapled.flatMap { $0 }

    /// Each stapled response with each version of TLS: in 1.2 it follows the certificates.
    private static let stapled: [[TrustCase]] = [TrustServers.TLS.v12, .v13].map { tls in
        [
            judged("stapled-revoked", "staple", "revoked", tls: tls, lists: []),
            judged("stapled-revoked", "staple, OCSP alone", "revoked", .ocsp, tls: tls, lists: []),
            judged(
                "stapled-good", "staple, none of the root's lists, required", "revocationUnknown",
                .requirePositiveResponse, tls: tls, lists: []),
            judged(
                "stapled-good", "staple, of which lists alone count, required", "revocationUnknown",
                [.crl, .requirePositiveResponse], tls: tls, lists: ["root"]),
            judged(
                "stapled-foreign", "staple, another authority's, required", "revocationUnknown",
                .requirePositiveResponse, tls: tls, lists: ["root"]),
            judged(
                "stapled-other", "staple, another certificate's, required", "revocationUnknown",
                .requirePositiveResponse, tls: tls, lists: ["root"]),
            judged(
                "stapled-refusal", "staple without answer, required", "revocationUnknown",
                .requirePositiveResponse, tls: tls, lists: ["root"]),
            judged(
                "good-ec", "no staple, required", "revocationUnknown", .requirePositiveResponse, tls: tls,
                lists: ["root"]),
        ]
    }

    /// A case with an evaluator of revocation that has lists of these authorities.
    static func judged(
        _ server: String, _ evaluator: String, _ expected: String,
        _ options: RevocationTrustEvaluator.Options = .any, tls: TrustServers.TLS = .v13, lists: [String]
    ) -> TrustCase {
        TrustCase(server, "revocation: \(evaluator)", expected, tls: tls) { servers in
            .revocationChecking(options: options, revocationLists: try lists.map { try servers.file("\($0).crl.pem") })
        }
    }
}
