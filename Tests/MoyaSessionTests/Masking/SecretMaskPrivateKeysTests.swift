import Foundation
import MoyaTransport
import Testing

/// Private keys in any text, and the answers of clouds' key services; in each case the secret is `s3cr3t`.
@Suite struct SecretMaskPrivateKeysTests {
    private func body(_ text: String) -> String {
        String(decoding: SecretMask.standard.body(Data(text.utf8)), as: UTF8.self)
    }

    @Test(
        arguments: ["PRIVATE KEY", "RSA PRIVATE KEY", "OPENSSH PRIVATE KEY", "PGP PRIVATE KEY BLOCK"],
        [
            "-----BEGIN %@-----\ns3cr3t-s3cr3t--\n-----END %@-----\npage: 2", "-----BEGIN %@-----\ns3cr3t",
            #"{"pem":"-----BEGIN %@-----\ns3cr3t\n-----END %@-----\n","page":2}"#,
            #"{"KeyMaterial":"-----BEGIN %@-----\ns3cr3t"}"#, "a=b&pem=-----BEGIN+%@-----%0As3cr3t%3D&page=2",
            "<pem>-----BEGIN %@-----\ns3cr3t\n</pem>", "failed: -----BEGIN %@----- s3cr3t -----END %@-----",
            #"{"pem":"-----BEGIN %@-----s3cr3t"}"#,
        ]) func masksAPrivateKey(label: String, form: String)
    {
        let text = form.replacingOccurrences(of: "%@", with: label)
        #expect(!body(text).contains("s3cr3t"), "\(body(text))")
        #expect(!SecretMask.standard.text(text).contains("s3cr3t"))
    }

    @Test(arguments: [
        "-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----", "-----BEGIN PUBLIC KEY-----\nabc",
        "a -- b --- c", #"{"a":"b--c","d":"-----"}"#, "-----BEGIN", "-----BEGIN PRIVATE KEY",
    ]) func leavesOtherHyphensReadable(text: String) {
        #expect(body(text) == text)
    }

    @Test func showsTheTextAfterAPrivateKey() {
        let key = "-----BEGIN PRIVATE KEY-----\ns3cr3t\n-----END PRIVATE KEY-----"
        let shown = "-----BEGIN PRIVATE KEY-----<masked>-----END PRIVATE KEY-----"
        #expect(body("a \(key)\nb \(key)\nc") == "a \(shown)\nb \(shown)\nc")
    }

    @Test(.timeLimit(.minutes(1)), arguments: ["-----BEGIN ", "-----BEGIN PRIVATE KEY-----\n", "-", "- -----END"])
    func readsManyHyphensABoundedNumberOfTimes(piece: String) {
        #expect(!body(String(repeating: piece, count: (1 << 18) / piece.utf8.count)).isEmpty)
    }

    @Test(arguments: [
        #"{"keys":[{"keyName":"key1","value":"s3cr3t","page":2}]}"#, #"{"keys":[{"name":"default","value":"s3cr3t"}]}"#,
        #"{"key1":"s3cr3t","key2":"s3cr3t"}"#, #"{"Name":"/db/x","Type":"SecureString","Value":"s3cr3t"}"#,
    ]) func masksTheKeysOfAService(text: String) {
        #expect(!body(text).contains("s3cr3t"), "\(body(text))")
    }

    @Test(arguments: [
        #"{"keys":[{"kty":"RSA","kid":"1","n":"abc","e":"AQAB"}]}"#, #"{"keys":["a","b"],"name":"x","value":"y"}"#,
        #"{"keys":[{"name":"size","value":2}]}"#,
    ]) func leavesOtherListsOfKeysReadable(text: String) {
        #expect(body(text) == text)
    }
}
