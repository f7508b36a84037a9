import Foundation
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct HTTPURLResponseStatedEncodingTests {
    private func text(_ bytes: [UInt8], _ type: String) throws -> String {
        let url = try #require(URL(string: "http://a.example/"))
        let response = HTTPURLResponse(
            url: url, statusCode: 200, httpVersion: nil, headerFields: ["Content-Type": type])
        return try StringResponseSerializer().serialize(
            request: nil, response: response, data: Data(bytes), error: nil)
    }

    @Test(
        arguments: [
            ("GB2312", [0xD6, 0xD0], "中"), ("gbk", [0xE9, 0x46], "镕"), ("gb18030", [0x81, 0x30, 0x84, 0x36], "¥"),
            ("Big5", [0xA4, 0xA4], "中"), ("EUC-KR", [0xB0, 0xA1], "가"), ("ks_c_5601-1987", [0xB0, 0xA1], "가"),
            ("Shift_JIS", [0x82, 0xA0], "あ"), ("KOI8-R", [0xC1], "а"),
            ("KOI8-U", [0xA4], "є"), ("windows-874", [0xA1], "ก"), ("tis-620", [0xA1], "ก"),
            ("windows-1250", [0xB9], "ą"), ("windows-1251", [0xE0], "а"), ("windows-1252", [0x80], "€"),
            ("windows-1253", [0xE1], "α"), ("windows-1254", [0xFD], "ı"), ("windows-1255", [0xE0], "א"),
            ("windows-1256", [0xC7], "ا"), ("windows-1257", [0xE0], "ą"), ("windows-1258", [0xFE], "₫"),
            ("ISO-8859-1", [0xE9], "é"), ("ISO-8859-2", [0xB1], "ą"), ("ISO-8859-3", [0xB1], "ħ"),
            ("ISO-8859-4", [0xB1], "ą"), ("ISO-8859-5", [0xD0], "а"), ("ISO-8859-6", [0xC7], "ا"),
            ("ISO-8859-7", [0xE1], "α"), ("ISO-8859-8", [0xE0], "א"), ("ISO-8859-9", [0xFD], "ı"),
            ("ISO-8859-10", [0xBE], "ū"), ("ISO-8859-11", [0xA1], "ก"), ("ISO-8859-13", [0xE0], "ą"),
            ("ISO-8859-14", [0xA1], "Ḃ"), ("ISO-8859-15", [0xA4], "€"), ("ISO-8859-16", [0xA4], "€"),
        ] as [(String, [UInt8], String)])
    func textIsInItsCharset(charset: String, bytes: [UInt8], text: String) throws {
        #expect(try self.text(bytes, "text/plain; charset=\(charset)") == text)
    }

    @Test(arguments: [("gbk", [0xFF], "gb18030"), ("Shift_JIS", [0x82], "shift_jis"), ("US-ASCII", [0xFF], "us-ascii")])
    func textThatIsNotInItsCharsetFailsWithItsName(charset: String, bytes: [UInt8], name: String) throws {
        let error = #expect(throws: SessionError.self) { try text(bytes, "text/plain; charset=\(charset)") }
        #expect(error?.localizedDescription.contains("the encoding \(name).") == true)
    }

    @Test(arguments: ["", "; charset=x-unknown", "; charset=iso-8859-12", "; charset=iso-8859-17"])
    func textOfAnUnknownCharsetIsUTF8OrLatin1(parameter: String) throws {
        #expect(try text(Array("é".utf8), "text/plain\(parameter)") == "é")
        #expect(try text([0xE9], "text/plain\(parameter)") == "é")
    }
}
