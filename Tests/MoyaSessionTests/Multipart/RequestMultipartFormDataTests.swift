import Foundation
import MoyaSession
import MoyaTesting
import Testing

/// A separate directory for each test, removed with it.
final class TemporaryDirectory {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("moya-tests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func file(_ name: String, _ content: String) throws -> URL {
        let file = url.appendingPathComponent(name)
        try Data(content.utf8).write(to: file)
        return file
    }
}

@Suite struct RequestMultipartFormDataTests {
    let directory: TemporaryDirectory
    let form = RequestMultipartFormData(boundary: "B")

    init() throws { directory = try TemporaryDirectory() }

    /// The encoded form, once from memory and once from a file; both must be the same.
    private func encoded(_ build: (RequestMultipartFormData) throws -> Void) throws -> String {
        let forms = [RequestMultipartFormData(boundary: "B"), RequestMultipartFormData(boundary: "B")]
        for form in forms { try build(form) }
        let output = directory.url.appendingPathComponent("output")
        try forms[1].writeEncodedData(to: output)
        let data = try forms[0].encode()
        #expect(try Data(contentsOf: output) == data)
        return String(decoding: data, as: UTF8.self)
    }

    private func stream(_ text: String) -> InputStream { InputStream(data: Data(text.utf8)) }

    // MARK: Boundary and lengths

    @Test func contentTypeNamesTheBoundary() {
        #expect(form.contentType == "multipart/form-data; boundary=B")
    }

    @Test func boundaryThatIsNoTokenIsQuoted() {
        #expect(RequestMultipartFormData(boundary: "a b:c").contentType == "multipart/form-data; boundary=\"a b:c\"")
    }

    @Test func contentTypeCanBeSet() {
        form.contentType = "multipart/mixed; boundary=B"
        #expect(form.contentType == "multipart/mixed; boundary=B")
    }

    @Test func randomBoundaryEndsInSixteenDigits() {
        let boundary = RequestMultipartFormData().boundary
        #expect(boundary.wholeMatch(of: /moya\.boundary\.[0-9a-f]{16}/) != nil)
        #expect(RequestMultipartFormData().boundary != boundary)
    }

    @Test(arguments: ["", "a\r\nb", "é", "a ", "a\"b", String(repeating: "a", count: 71)])
    func invalidBoundaryIsAnError(boundary: String) {
        let form = RequestMultipartFormData(boundary: boundary)
        guard case .bodyPartHeaderInvalid(boundary)? = multipartReason({ try form.encode() }) else {
            Issue.record("not refused")
            return
        }
    }

    @Test func contentLengthIsThatOfTheBodies() throws {
        form.append(Data("12345".utf8), withName: "a")
        form.append(try directory.file("b.txt", "123"), withName: "b")
        form.append(stream("12"), withLength: 2, name: "c", fileName: "", mimeType: "")
        #expect(form.contentLength == 10)
    }

    @Test func contentLengthDoesNotOverflow() {
        for _ in 0..<2 { form.append(stream(""), withLength: .max, headers: [:]) }
        #expect(form.contentLength == .max)
    }

    @Test func thresholdIsTenMegabytes() {
        #expect(RequestMultipartFormData.encodingMemoryThreshold == 10_000_000)
    }

    // MARK: Exact bytes

    @Test func noPartsAreNoBytes() throws {
        #expect(try encoded { _ in } == "")
    }

    @Test func dataPart() throws {
        #expect(
            try encoded { $0.append(Data("x".utf8), withName: "n") }
                == "--B\r\nContent-Disposition: form-data; name=\"n\"\r\n\r\nx\r\n--B--\r\n")
    }

    @Test func emptyDataPart() throws {
        #expect(
            try encoded { $0.append(Data(), withName: "n") }
                == "--B\r\nContent-Disposition: form-data; name=\"n\"\r\n\r\n\r\n--B--\r\n")
    }

    @Test func dataPartWithFileName() throws {
        #expect(
            try encoded { $0.append(Data("x".utf8), withName: "n", fileName: "f") }
                == "--B\r\nContent-Disposition: form-data; name=\"n\"; filename=\"f\"\r\n\r\nx\r\n--B--\r\n")
    }

    @Test func dataPartWithType() throws {
        #expect(
            try encoded { $0.append(Data("x".utf8), withName: "n", mimeType: "a/b") }
                == "--B\r\nContent-Disposition: form-data; name=\"n\"\r\nContent-Type: a/b\r\n\r\nx\r\n--B--\r\n")
    }

    @Test func partsAreSeparatedByTheBoundary() throws {
        let text = try encoded { form in
            form.append(Data("1".utf8), withName: "a")
            form.append(try directory.file("two.txt", "2"), withName: "b", fileName: "f", mimeType: "c/d")
            form.append(stream("3"), withLength: 1, name: "c", fileName: "g", mimeType: "")
            form.append(stream("4"), withLength: 1, headers: ["X-B": "2", "X-A": "1"])
        }
        #expect(
            text == """
                --B\r
                Content-Disposition: form-data; name="a"\r
                \r
                1\r
                --B\r
                Content-Disposition: form-data; name="b"; filename="f"\r
                Content-Type: c/d\r
                \r
                2\r
                --B\r
                Content-Disposition: form-data; name="c"; filename="g"\r
                Content-Type: \r
                \r
                3\r
                --B\r
                X-B: 2\r
                X-A: 1\r
                \r
                4\r
                --B--\r\n
                """)
    }

    @Test(arguments: [
        ("photo.png", "image/png"), ("photo.JPG", "image/jpeg"), ("x.unknown-kind", "application/octet-stream"),
    ])
    func fileHasItsNameAndTheTypeOfItsExtension(name: String, type: String) throws {
        let text = try encoded { $0.append(try directory.file(name, "x"), withName: "n") }
        #expect(text.contains("name=\"n\"; filename=\"\(name)\"\r\nContent-Type: \(type)\r\n\r\nx\r\n"))
    }

    @Test func partsLargerThanTheBufferAreWhole() throws {
        let long = String(repeating: "0123456789abcdef", count: 20_000)
        let text = try encoded { form in
            form.append(try directory.file("long.txt", long), withName: "a")
            form.append(stream(long), withLength: UInt64(long.utf8.count), headers: [:])
        }
        #expect(text.components(separatedBy: long).count == 3)
    }

    // MARK: Streams of unknown length

    @Test func streamOfUnknownLengthIsReadToItsEnd() throws {
        let long = String(repeating: "0123456789abcdef", count: 20_000)
        let text = try encoded { form in
            form.append(stream(long), name: "a", fileName: "b", mimeType: "c/d")
            form.append(stream("2"), headers: ["X-A": "1"])
        }
        #expect(
            text == "--B\r\nContent-Disposition: form-data; name=\"a\"; filename=\"b\"\r\nContent-Type: c/d\r\n\r\n"
                + long + "\r\n--B\r\nX-A: 1\r\n\r\n2\r\n--B--\r\n")
    }

    @Test func contentLengthIsBeyondAnyThresholdWhenItIsUnknown() {
        form.append(Data("12345".utf8), withName: "a")
        form.append(stream("12"), name: "b", fileName: "", mimeType: "")
        #expect(form.contentLength == .max)
    }

    @Test func encodingAStreamOfUnknownLengthTwiceIsAnError() throws {
        form.append(stream("12"), headers: [:])
        _ = try form.encode()
        #expect(multipartReason { try form.encode() } != nil)
    }

    // MARK: Names that would break their line

    /// Names, and how WHATWG's form data has them: line breaks of a part's name are CRLF, those of a file's stay.
    static let escapedNames = [
        ("a\"b", "a%22b", "a%22b"), ("a\r\nb", "a%0D%0Ab", "a%0D%0Ab"), ("a\nb", "a%0D%0Ab", "a%0Ab"),
        ("a\rb", "a%0D%0Ab", "a%0Db"), ("\n\r", "%0D%0A%0D%0A", "%0A%0D"), ("\r\r\n", "%0D%0A%0D%0A", "%0D%0D%0A"),
        ("a\"; filename=\"b", "a%22; filename=%22b", "a%22; filename=%22b"), ("é\"", "é%22", "é%22"),
        ("\u{301}\r\n", "\u{301}%0D%0A", "\u{301}%0D%0A"), ("\"\u{301}", "%22\u{301}", "%22\u{301}"),
        ("a%22b", "a%22b", "a%22b"), ("é日😃", "é日😃", "é日😃"), ("a'b;c=d", "a'b;c=d", "a'b;c=d"),
        ("a/b", "a/b", "a/b"), ("C:\\a", "C:\\a", "C:\\a"), ("a\\\\", "a\\\\", "a\\\\"), ("a\tb", "a\tb", "a\tb"),
        ("a\u{1}\u{7F}\u{85}\u{2028}b", "a\u{1}\u{7F}\u{85}\u{2028}b", "a\u{1}\u{7F}\u{85}\u{2028}b"), ("", "", ""),
        ("...", "...", "..."), ("a..b", "a..b", "a..b"),
    ]

    @Test(arguments: escapedNames.indices) func namesAreEscaped(index: Int) throws {
        let (name, partName, fileName) = Self.escapedNames[index]
        let text = try encoded { $0.append(Data(), withName: name, fileName: name) }
        #expect(
            text == "--B\r\nContent-Disposition: form-data; name=\"\(partName)\"; filename=\"\(fileName)\"\r\n\r\n"
                + "\r\n--B--\r\n")
    }

    @Test func aFilesOwnNameIsEscaped() throws {
        let file = try directory.file("a\"\r\nb.txt", "x")
        let text = try encoded { $0.append(file, withName: "n") }
        #expect(text.contains("filename=\"a%22%0D%0Ab.txt\"\r\nContent-Type: text/plain\r\n\r\nx\r\n"))
    }

    @Test func anyFileNameMayEndInABackslash() throws {
        let text = try encoded { $0.append(Data(), withName: "n", fileName: "a\\") }
        #expect(text.contains("; filename=\"a\\\"\r\n"))
    }

    @Test(arguments: ["a\0b", "a\\", "a\\\\\\"]) func nameThatIsCutOrOpenIsAnError(name: String) {
        form.append(Data(), withName: name)
        #expect(invalidValue == name)
    }

    @Test(arguments: ["a\0b", "../a", "a/../b", "..", "a\\..\\b", "a/.."])
    func fileNameThatIsCutOrLeavesItsDirectoryIsAnError(name: String) {
        form.append(Data(), withName: "n", fileName: name)
        #expect(invalidValue == name)
    }

    @Test func randomNamesMakeOnePartOfOneLine() throws {
        var random = SeededGenerator(seed: 7578)
        let scalars = Array("\r\n\"\\;= %ab-B:é\u{1}\u{2028}".unicodeScalars)
        for _ in 0..<500 {
            let form = RequestMultipartFormData(boundary: "B")
            var name = String.UnicodeScalarView()
            for _ in 0..<Int.random(in: 1...12, using: &random) {
                name.append(scalars.randomElement(using: &random) ?? "a")
            }
            form.append(Data("x".utf8), withName: String(name) + "a", fileName: String(name))
            guard let data = try? form.encode() else { continue }
            let lines = String(decoding: data, as: UTF8.self).components(separatedBy: "\r\n")
            #expect(lines.count == 6 && lines[0] == "--B" && lines[2...] == ["", "x", "--B--", ""], "\(lines)")
            #expect(lines[1].unicodeScalars.filter { $0 == "\"" }.count == 4)
            #expect(!lines[1].unicodeScalars.contains { $0 == "\r" || $0 == "\n" })
        }
    }

    private var invalidValue: String? {
        guard case .bodyPartHeaderInvalid(let value)? = multipartReason({ try form.encode() }) else { return nil }
        return value
    }

    @Test(arguments: ["a/b\r\nX-Evil: 1", "a\nb", "a\0b", "a/b\u{1}", "a/b\u{7F}"])
    func controlCharacterInATypeIsAnError(type: String) {
        form.append(Data(), withName: "n", mimeType: type)
        guard case .bodyPartHeaderInvalid(type)? = multipartReason({ try form.encode() }) else {
            Issue.record("not refused")
            return
        }
    }

    @Test(arguments: [
        HTTPHeader(name: "X\r\nY", value: "1"), HTTPHeader(name: "X", value: "1\r\n\r\n"),
        HTTPHeader(name: "", value: ""), HTTPHeader(name: "X", value: "\u{1F}"),
    ])
    func invalidFieldIsAnError(header: HTTPHeader) {
        form.append(stream(""), withLength: 0, headers: [header])
        guard case .bodyPartHeaderInvalid? = multipartReason({ try form.encode() }) else {
            Issue.record("not refused")
            return
        }
    }

    @Test func partsMayBeAppendedToASubclass() throws {
        final class Tagged: RequestMultipartFormData, @unchecked Sendable {
            override func append(_ data: Data, withName name: String, fileName: String?, mimeType: String?) {
                super.append(data, withName: "tag-" + name, fileName: fileName, mimeType: mimeType)
            }
        }
        let form: RequestMultipartFormData = Tagged()
        form.append(Data(), withName: "n")
        #expect(String(decoding: try form.encode(), as: UTF8.self).contains("name=\"tag-n\""))
    }
}

/// The reason that an encoding gives for failing; `nil` when it does not fail.
func multipartReason<Value>(_ encode: () throws -> Value) -> SessionError.MultipartEncodingFailureReason? {
    do {
        _ = try encode()
        return nil
    } catch SessionError.multipartEncodingFailed(let reason) {
        return reason
    } catch {
        Issue.record(error)
        return nil
    }
}
