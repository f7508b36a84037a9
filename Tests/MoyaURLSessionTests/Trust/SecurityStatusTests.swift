import MoyaTransport
import Testing

@testable import MoyaURLSession

/// Statuses of Apple's Security framework, by the names that SecBase.h gives them.
@Suite struct SecurityStatusTests {
    @Test(arguments: [
        ("errSecCertificateExpired", -67_818, TrustRefusal.Reason.expired),
        ("errSecCertificateNotValidYet", -67_819, .notYetValid),
        ("errSecHostNameMismatch", -67_602, .wrongHost),
        ("errSecNotTrusted", -67_843, .unknownIssuer),
        ("errSecCreateChainFailed", -25_318, .unknownIssuer),
        ("errSecCertificateRevoked", -67_820, .revoked),
        ("errSecIncompleteCertRevocationCheck", -67_635, .revocationUnknown),
        ("errSecInvalidExtendedKeyUsage", -67_609, .wrongPurpose),
        ("errSecParam", -50, .other),
        ("errSecSuccess", 0, .other),
    ])
    func statusHasItsReason(_ name: String, _ status: Int, _ reason: TrustRefusal.Reason) {
        #expect(TrustRefusal.Reason(securityStatus: status) == reason, "\(name)")
    }
}
