import Foundation
import MoyaSession
import MoyaTesting
import MoyaTransport
import Testing

@Suite struct PinnedCertificatesTrustEvaluatorTests {
    private let unanchored = TrustRefusal(.unknownIssuer, message: "no issuer")

    @Test(arguments: [
        SampleCertificates.leaf, SampleCertificates.leaf.der, SampleCertificates.root,
        SampleCertificates.rsa + SampleCertificates.leaf,
    ])
    func aPinAnywhereInTheChainIsAccepted(pin: Data) throws {
        #expect(try refusal(.pinnedCertificates(certificates: [pin])) == nil)
    }

    @Test func aForeignPinIsRefused() throws {
        let reason = try refusal(.pinnedCertificates(certificates: [SampleCertificates.rsa]))
        guard case .certificatePinningFailed("sample.test", 1, 2)? = reason else {
            throw Unexpected(reason)
        }
    }

    /// The path of the URL is that of a file.
    @Test func aPinIsNotReadFromAURLOfAnotherScheme() throws {
        let url = try #require(URL(string: "https://localhost\(#filePath)"))
        let error = #expect(throws: SessionError.self) { try PinnedCertificatesTrustEvaluator(files: [url]) }
        #expect("\(try #require(error))".contains("is a URL with the scheme"))
    }

    @Test func anEmptyListRefusesEveryServer() throws {
        let reason = try refusal(PinnedCertificatesTrustEvaluator(certificates: []))
        guard case .noCertificatesFound? = reason else { throw Unexpected(reason) }
    }

    @Test func aPinThatIsNoCertificateIsNamedByItsPlace() throws {
        let evaluator = PinnedCertificatesTrustEvaluator(
            certificates: [SampleCertificates.leaf, Data("garbage".utf8)])
        #expect(try refusal(evaluator)?.setting == "certificates[1]")
    }

    @Test func aChainThatIsNotValidIsRefusedThoughItIsPinned() throws {
        let evaluator = PinnedCertificatesTrustEvaluator(certificates: [SampleCertificates.leaf])
        #expect(try refusal(evaluator, .scripted(chain: unanchored))?.platformReason == .unknownIssuer)
    }

    @Test func acceptsAnInvalidChainWithoutDefaultValidation() throws {
        let evaluator = PinnedCertificatesTrustEvaluator(
            certificates: [SampleCertificates.leaf], performDefaultValidation: false)
        #expect(try refusal(evaluator, .scripted(chain: unanchored)) == nil)
    }

    @Test func aPinIsTheOnlyAnchorWhereSelfSignedCertificatesAreAccepted() throws {
        let evaluator = PinnedCertificatesTrustEvaluator(
            certificates: [SampleCertificates.leaf], acceptSelfSignedCertificates: true)
        #expect(try refusal(evaluator, .scripted(chain: unanchored)) == nil)
        #expect(try refusal(evaluator, .scripted(anchored: unanchored))?.platformReason == .unknownIssuer)
    }

    @Test func anAnchorThatTheServerDoesNotShowIsAMatch() throws {
        let evaluator = PinnedCertificatesTrustEvaluator(
            certificates: [SampleCertificates.root], acceptSelfSignedCertificates: true)
        #expect(try refusal(evaluator, .scripted([SampleCertificates.leaf.der])) == nil)
    }

    @Test func anAnchorCountsAsShownOnlyWhereTheChainWasValidated() throws {
        let evaluator = PinnedCertificatesTrustEvaluator(
            certificates: [SampleCertificates.root], acceptSelfSignedCertificates: true, performDefaultValidation: false
        )
        let reason = try refusal(evaluator, .scripted([SampleCertificates.leaf.der]))
        guard case .certificatePinningFailed? = reason else { throw Unexpected(reason) }
    }

    @Test func anotherHostIsRefusedUnlessNamesDoNotMatter() throws {
        let other = PresentedServerTrust.scripted(host: TrustRefusal(.wrongHost, message: "another host"))
        let pins = [SampleCertificates.leaf]
        #expect(try refusal(.pinnedCertificates(certificates: pins), other)?.platformReason == .wrongHost)
        #expect(try refusal(.pinnedCertificates(certificates: pins, validateHost: false), other) == nil)
    }

    @Test func pinsAreReadFromFiles() throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("moya-\(UUID().uuidString).pem")
        try SampleCertificates.leaf.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        #expect(try refusal(try PinnedCertificatesTrustEvaluator(files: [file])) == nil)
    }

    @Test func aFileThatCannotBeReadIsNamed() throws {
        let error = #expect(throws: SessionError.self) {
            try PinnedCertificatesTrustEvaluator(files: [URL(fileURLWithPath: "/nowhere/pin.pem")])
        }
        #expect(error?.localizedDescription.contains("/nowhere/pin.pem") == true)
    }
}

/// A reason other than the one expected.
struct Unexpected: Error, CustomStringConvertible {
    let description: String

    init(_ reason: Any?) { description = "another reason: \(reason.map { "\($0)" } ?? "none")" }
}
