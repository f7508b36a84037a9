import Foundation
import MoyaTransport
import Testing

@testable import Moya

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct LogTextTests {
    private let mask = SecretMask { $0 == "secret" }

    @Test(arguments: [
        [:], ["Accept": "*/*"], ["A": "1", "B": "2", "C": "3"], ["E": "say \"no\""], ["F": "a\\b"], ["G": "a\tb\nc"],
        ["H": "Grüße 你好 👋🏽"], ["I": "\u{7F}\u{1B}\0"], ["J\"": ""],
    ])
    func fieldsAreTextAsOfADictionary(fields: [String: String]) {
        #expect(LogText.fields(fields, mask) == fields.description)
    }

    @Test func fieldsHaveTheirSecretsMasked() {
        #expect(LogText.fields(["secret": "abc"], mask) == #"["secret": "<masked>"]"#)
    }

    @Test func responseIsTextAsOnApplePlatforms() throws {
        let response = try #require(
            HTTPURLResponse(
                url: URL(fileURLWithPath: "/a"), statusCode: 404, httpVersion: nil,
                headerFields: ["Server": "x", "Age": "3", "secret": "abc"]))
        let lines = response.allHeaderFields.map { name, value in
            "    \"\(name)\" = \"\("\(name)".lowercased() == "secret" ? "<masked>" : "\(value)")\";\n"
        }
        let mask = SecretMask { $0.lowercased() == "secret" }
        #expect(
            LogText.response(response, mask)
                == "<NSHTTPURLResponse> { URL: file:///a } { Status Code: 404, Headers {\n"
                + lines.sorted().joined() + "} }")
    }
}
