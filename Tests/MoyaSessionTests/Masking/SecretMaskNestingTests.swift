import Foundation
import MoyaTesting
import MoyaTransport
import Testing

/// Secrets within forms within strings within JSON, and so on, at random; the secret is `s3cr3t`.
@Suite struct SecretMaskNestingTests {
    private let mask = SecretMask.standard

    @Test func masksAPercentEncodedRelativeURL() {
        #expect(!SecretMask.standard.value("/login%3Ftoken%3Ds3cr3t", ofField: "Location").contains("s3cr3t"))
    }

    @Test(arguments: [
        "filename=\"a; name=b\"; name=\"password\"", "filename=\"\\\"; name=b\"; name=password", "name = \"password\"",
    ])
    func readsTheNameOfAPartOutsideQuotes(parameters: String) {
        let body = "--x\r\nContent-Disposition: form-data; \(parameters)\r\n\r\ns3cr3t\r\n--x--\r\n"
        #expect(!String(decoding: SecretMask.standard.body(Data(body.utf8)), as: UTF8.self).contains("s3cr3t"))
    }

    @Test(arguments: UInt64(0)..<400) func findsASecretInAnyNesting(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var text = leaf(&random)
        for _ in 0..<Int.random(in: 0...4, using: &random) { text = wrapped(text, &random) }
        let shown = String(decoding: mask.body(Data(text.utf8)), as: UTF8.self)
        #expect(!shown.contains("s3cr3t"), "\(text)\n\(shown)")
        #expect(String(decoding: mask.body(Data(shown.utf8)), as: UTF8.self) == shown, "\(shown)")
        let prose = mask.text("It failed: \(text)")
        #expect(!prose.contains("s3cr3t"), "\(text)\n\(prose)")
    }

    @Test(arguments: UInt64(0)..<200) func findsASecretInJSONThatBreaksOff(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let text =
            #"{"a":[{"b":"x\"y","password":"s3cr3t"},{"name":"otp","value":["s3cr3t"]},{"token":{"c":"s3cr3t"}}]}"#
        let cut = String(text.prefix(Int.random(in: 0...text.count, using: &random)))
        #expect(!String(decoding: mask.body(Data(cut.utf8)), as: UTF8.self).contains("s3cr"), "\(cut)")
    }

    @Test(arguments: [
        "[", "{", "{\"a\":", "\"\\", "<token", "a=", ":", "://", "https://u:p", "https://u:p@", "--a\n\n", "%25",
        "\\\"", "{\"value\":{",
    ])
    func takesTimeAndStackInBounds(piece: String) {
        let text = String(repeating: piece, count: 20_000)
        #expect(mask.body(Data(text.utf8)).count > 0)
        #expect(!mask.text(text).isEmpty)
    }

    @Test func masksTextNestedTooDeep() {
        let deep = String(repeating: "[", count: 2000) + #"{"name":"x","value":"s3cr3t"}"#
        #expect(!String(decoding: mask.body(Data(deep.utf8)), as: UTF8.self).contains("s3cr3t"))
    }

    /// Percent-encoding triples a name: a hundred letters have six hundred bytes.
    @Test(arguments: [
        "a=b&%@=s3cr3t&c=d", "{\"%@\":\"s3cr3t\"}", "See https://example.com/?a=b&%@=s3cr3t, or not.",
        "--x\r\nContent-Disposition: form-data; name=\"%@\"\r\n\r\ns3cr3t\r\n--x--",
    ])
    func masksTheValueOfALongName(form: String) throws {
        let letters = String(repeating: "é", count: 100)
        let name = try #require("\(letters)_token".addingPercentEncoding(withAllowedCharacters: .alphanumerics))
        let text = form.replacingOccurrences(of: "%@", with: name)
        #expect(!String(decoding: mask.body(Data(text.utf8)), as: UTF8.self).contains("s3cr3t"))
    }

    private func leaf(_ random: inout SeededGenerator) -> String {
        [
            #"{"password":"s3cr3t"}"#, #"{"a":[1,{"X-Api-Key":["s3cr3t"]}]}"#, "user=me&password=s3cr3t",
            "https://example.com/?code=s3cr3t&page=1", "https://me:s3cr3t@example.com/",
            #"[{"value":"s3cr3t","name":"client_secret"}]"#, #"{"key":"otp","value":{"x":"s3cr3t"}}"#,
        ].randomElement(using: &random) ?? ""
    }

    private func wrapped(_ text: String, _ random: inout SeededGenerator) -> String {
        let quoted = (try? JSONEncoder().encode(text)).map { String(decoding: $0, as: UTF8.self) } ?? ""
        let percents = text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        switch Int.random(in: 0..<6, using: &random) {
        case 0: return "{\"a\":1,\"log\":\(quoted)}"
        case 1: return "[\(quoted),2]"
        case 2: return "page=1&data=\(percents)"
        case 3: return "https://example.com/?next=\(percents)"
        case 4: return "{\"items\":[{\"name\":\"page\",\"value\":\(quoted)}]}"
        default: return "{\"é\":{\"x\":\(quoted)}}"
        }
    }
}
