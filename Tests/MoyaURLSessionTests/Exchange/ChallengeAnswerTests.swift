import Testing

@testable import MoyaURLSession

/// Answers to the challenges of servers and proxies.
@Suite struct ChallengeAnswerTests {
    private func answer(
        to subject: ChallengeAnswer.Subject, ofProxy isProxy: Bool = false, previousFailures: Int = 0,
        hasTrustSettings: Bool = true, hasCredentials: Bool = true
    ) -> ChallengeAnswer {
        ChallengeAnswer(
            to: subject, ofProxy: isProxy, previousFailures: previousFailures, hasTrustSettings: hasTrustSettings,
            hasCredentials: hasCredentials)
    }

    @Test func trustSettingsDecideAboutAServer() {
        #expect(answer(to: .serverTrust) == .serverTrust)
    }

    @Test func systemDecidesAboutAServerWithoutTrustSettings() {
        #expect(answer(to: .serverTrust, hasTrustSettings: false) == .systemDefault)
    }

    @Test func trustSettingsDecideAboutAServerAgainAfterAFailure() {
        #expect(answer(to: .serverTrust, previousFailures: 3) == .serverTrust)
    }

    @Test func clientCertificateIsForServers() {
        #expect(answer(to: .clientCertificate) == .clientIdentity)
    }

    /// The exchange that a challenge came for may have ended, while others wait for its connection.
    @Test func clientCertificateNeedsNoPassword() {
        #expect(answer(to: .clientCertificate, hasCredentials: false) == .clientIdentity)
    }

    @Test func passwordAnswersDigest() {
        #expect(answer(to: .digest) == .credentials)
    }

    @Test(arguments: [ChallengeAnswer.Subject.clientCertificate, .digest])
    func proxyGetsNoCredentialsOfAServer(_ subject: ChallengeAnswer.Subject) {
        #expect(answer(to: subject, ofProxy: true) == .systemDefault)
    }

    @Test func passwordIsSentOnce() {
        #expect(answer(to: .digest, previousFailures: 1) == .systemDefault)
    }

    @Test func digestWithoutAPasswordIsTheResponse() {
        #expect(answer(to: .digest, hasCredentials: false) == .systemDefault)
    }

    @Test func otherSchemesLeaveTheirTurnToDigest() {
        #expect(answer(to: .other) == .nextScheme)
    }

    @Test func otherSchemesOfAProxyOrWithoutAPasswordAreTheSystems() {
        #expect(answer(to: .other, ofProxy: true) == .systemDefault)
        #expect(answer(to: .other, hasCredentials: false) == .systemDefault)
    }
}
