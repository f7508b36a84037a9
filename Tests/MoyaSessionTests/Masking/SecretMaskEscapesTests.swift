import Foundation
import MoyaTransport
import Testing

/// Strings of JSON with escapes, which are decoded only if they may tell; in each case the secret is `s3cr3t`.
@Suite struct SecretMaskEscapesTests {
    private func body(_ text: String) -> String {
        String(decoding: SecretMask.standard.body(Data(text.utf8)), as: UTF8.self)
    }

    @Test(arguments: [
        #"{"a":"token\u003ds3cr3t"}"#, #"{"a":"x\u0026token\u003Ds3cr3t"}"#,
        #"{"a":"\u007b\u0022pin\u0022\u003a\u0022s3cr3t"}"#,
        #"{"a":"\u003cpin\u003es3cr3t"}"#, #"{"a":"\u0074oken=s3cr3t"}"#, #"{"a":"https:\/\/u:s3cr3t@h"}"#,
        #"{"a":"\u005c\u0022pin\u005c\u0022:\u005c\u0022s3cr3t"}"#,
        #"{"a":"-\u002d--\u002dBEGIN PRIVATE KEY-----\ns3cr3t"}"#,
        #"{"a":"--password\u0020s3cr3t"}"#, #"{"\u0074oken\u003ds3cr3t":"\n"}"#, #"{"a":"\u00e9\n\ntoken: s3cr3t"}"#,
        #"{"a":"{\"b\":\"\\u0074oken\\u003ds3cr3t\"}"}"#,
    ]) func masksSecretsBehindEscapes(text: String) {
        #expect(!body(text).contains("s3cr3t"), "\(body(text))")
    }

    @Test(arguments: [
        #"{"title":"\u041f\u0440\u0438","a":"b\nc\t\r\/d","\u00e9\n":"\u20ac"}"#,
        #"["\ud83d\ude00","\\","\"","\u0041","\u00"]"#,
        #"{"at":"10:30","since":"2020-01-01T10:30:00Z","url":"https:\/\/a.test\/x?page=2"}"#,
    ]) func leavesEscapesAsTheyAre(text: String) {
        #expect(body(text) == text)
    }
}
