import Foundation
import Testing

@testable import Moya

@Suite struct JSONScannerTests {
    private func value(at keyPath: String = "a", in text: String) throws -> String? {
        try JSONKeyPath(keyPath).value(in: Data(text.utf8)).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test(
        arguments: [
            "1", "-0", "0.5", "1e9", "-12.5E-3", "12345678901234567890.123456789", "true", "false", "null", #""""#,
            #""b\"\\\/\b\f\n\r\t\u00e9""#, "[]", "{}", "[ 1 , [ ] ]", #"{ "b" : { } }"#, "\"\u{1F600}\"",
        ])
    func givesTheBytesOfTheValue(_ json: String) throws {
        #expect(try value(in: #"{"x":[{}],"a": \#(json) ,"y":1}"#) == json)
    }

    @Test(
        arguments: [
            "", " ", "{", "}", "[", #"{"a"}"#, #"{"a":}"#, #"{"a":1"#, #"{"a":1,}"#, #"{"a":1}}"#, #"{"a":1} x"#,
            #"{"a":1 "b":2}"#, #"{a:1}"#, #"{"a":01}"#, #"{"a":+1}"#, #"{"a":1.}"#, #"{"a":.5}"#, #"{"a":1e}"#,
            #"{"a":-}"#,
            #"{"a":tru}"#, #"{"a":nul"#, #"{"a":"b}"#, #"{"a":"\x"}"#, #"{"a":"\u12g4"}"#, #"{"a":"\u12"#, #"{"a":"\"#,
            "{\"a\":\"\n\"}", "{\"a\":1,\"b\":[1,]}", "{\"a\":1,\"b\":[1}", "{\"a\":[1,2", "\u{0}", "'a'",
            #"{"a":NaN}"#,
        ])
    func refusesInvalidJSON(_ text: String) {
        #expect(throws: JSONScanner.Invalid.self) { try value(in: text) }
    }

    @Test func everyBeginningOfJSONIsRefused() {
        let json = #"{"b": [1, -2.5e+3, {"c": "d\u00e9"}], "a": {"x": [true, false, null]}}"#
        for count in 0..<json.count {
            #expect(throws: JSONScanner.Invalid.self) { try value(at: "a.x", in: String(json.prefix(count))) }
        }
    }

    @Test func bytesThatAreNoUTF8AreRefused() {
        let data = Data(#"{"a":1,"b":""#.utf8) + [0xFF] + Data(#""}"#.utf8)
        #expect(throws: JSONScanner.Invalid.self) { try JSONKeyPath("a").value(in: data) }
    }

    @Test func byteOrderMarkIsIgnored() throws {
        #expect(try value(in: "\u{FEFF}{\"a\":1}") == "1")
    }

    @Test func lastOfEqualNamesCounts() throws {
        #expect(try value(in: #"{"a":1,"a":2}"#) == "2")
    }

    @Test func escapedNamesAreUnderstood() throws {
        #expect(try value(in: #"{"\u0061":1}"#) == "1")
        #expect(try value(at: "é\"", in: #"{"\u00e9\"":1}"#) == "1")
    }

    @Test func rootOtherThanAnObjectHasNothing() throws {
        #expect(try value(in: #"[{"a":1}]"#) == nil)
        #expect(try value(in: #""a""#) == nil)
    }

    @Test func nestingIsBounded() throws {
        let deep = { (depth: Int) in
            #"{"a":1,"b":\#(String(repeating: "[", count: depth))\#(String(repeating: "]", count: depth))}"#
        }
        #expect(try value(in: deep(500)) == "1")
        #expect(throws: JSONScanner.Invalid.self) { try value(in: deep(100_000)) }
    }
}
