import Foundation
import MoyaSession
import MoyaTesting
import MoyaTransport
import Testing

@Suite struct PublicKeysTrustEvaluatorTests {
    @Test(arguments: [
        SampleCertificates.leafKey, SampleCertificates.leaf, SampleCertificates.leaf.der, SampleCertificates.root,
        SampleCertificates.rsaKey + SampleCertificates.leafKey,
    ])
    func aKeyAnywhereInTheChainIsAccepted(key: Data) throws {
        #expect(try refusal(.publicKeys(keys: [key])) == nil)
    }

    @Test func aKeyInDERFormIsAccepted() throws {
        let key = try #require(CertificateForm.publicKey(ofCertificate: SampleCertificates.leaf.der))
        #expect(try refusal(.publicKeys(keys: [key])) == nil)
    }

    @Test func aForeignKeyIsRefused() throws {
        let reason = try refusal(.publicKeys(keys: [SampleCertificates.rsaKey]))
        guard case .publicKeyPinningFailed("sample.test", 1, 2)? = reason else { throw Unexpected(reason) }
    }

    @Test func anEmptyListRefusesEveryServer() throws {
        let reason = try refusal(PublicKeysTrustEvaluator(keys: []))
        guard case .noPublicKeysFound? = reason else { throw Unexpected(reason) }
    }

    @Test func theBundleOfTheTestsHoldsNoKey() throws {
        let reason = try refusal(.publicKeys)
        guard case .noPublicKeysFound? = reason else { throw Unexpected(reason) }
    }

    @Test(arguments: [Data(), Data("garbage".utf8), SampleCertificates.revocationList])
    func malformedKeyIsNamedByItsIndex(key: Data) throws {
        let evaluator = PublicKeysTrustEvaluator(keys: [SampleCertificates.leafKey, key])
        #expect(try refusal(evaluator)?.setting == "keys[1]")
    }

    @Test func aChainThatIsNotValidIsRefusedThoughItsKeyIsPinned() throws {
        let expired = PresentedServerTrust.scripted(chain: TrustRefusal(.expired, message: "expired"))
        let keys = [SampleCertificates.leafKey]
        #expect(try refusal(.publicKeys(keys: keys), expired)?.platformReason == .expired)
        #expect(try refusal(.publicKeys(keys: keys, performDefaultValidation: false), expired) == nil)
    }

    @Test func anotherHostIsRefusedUnlessNamesDoNotMatter() throws {
        let other = PresentedServerTrust.scripted(host: TrustRefusal(.wrongHost, message: "another host"))
        let keys = [SampleCertificates.leafKey]
        #expect(try refusal(.publicKeys(keys: keys), other)?.platformReason == .wrongHost)
        #expect(try refusal(.publicKeys(keys: keys, validateHost: false), other) == nil)
    }
}
