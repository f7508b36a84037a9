import Foundation
import MoyaSession
import Testing

/// A directory of its own for each test, removed with it.
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

    @Test func randomBoundaryEndsInSixteenDigits() {
        let boundary = RequestMultipartFormData().boundary
        #expect(boundary.wholeMatch(of: /moya\.boundary\.[0-9a-f]{16}/) != nil)
        #expect(RequestMultipartFormData().boundary != boundary)
    }

    @Test(arguments: ["", "a\r\nb", "é", "a ", "a\"b", String(repeating: "a", count: 71)])
    func boundaryThatCannotBeOneIsAnError(boundary: String) {
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

    static let badNames = [
        "a\"b", "a\r\nb", "a\nb", "a\rb", "a\0b", "a\"; filename=\"b", "a\\", "a\\\\\\", "é\"", "\u{301}\r\n",
    ]

    @Test(arguments: badNames) func nameThatEndsItsQuotesOrItsLineIsAnError(name: String) {
        form.append(Data(), withName: name)
        #expect(invalidValue == name)
    }

    @Test(arguments: badNames + ["../a", "a/../b", "..", "a\\..\\b", "a/.."])
    func fileNameThatEndsItsQuotesItsLineOrItsDirectoryIsAnError(name: String) {
        form.append(Data(), withName: "n", fileName: name)
        #expect(invalidValue == name)
    }

    @Test func fileWithSuchANameIsAnErrorToo() throws {
        form.append(try directory.file("a\"b.txt", "x"), withName: "n")
        #expect(invalidValue == "a\"b.txt")
    }

    @Test(arguments: ["a%22b", "é日😃", "a'b;c=d", "a/b", "a..b", "...", "..a", "C:\\a", "a\\\\", "a\tb", ""])
    func otherNamesAreSentAsTheyAre(name: String) throws {
        let text = try encoded { $0.append(Data(), withName: name, fileName: name) }
        #expect(text.contains("form-data; name=\"\(name)\"; filename=\"\(name)\"\r\n"))
    }

    private var invalidValue: String? {
        guard case .bodyPartHeaderInvalid(let value)? = multipartReason({ try form.encode() }) else { return nil }
        return value
    }

    @Test(arguments: ["a/b\r\nX-Evil: 1", "a\nb", "a\0b"]) func lineBreakInATypeIsAnError(type: String) {
        form.append(Data(), withName: "n", mimeType: type)
        guard case .bodyPartHeaderInvalid(type)? = multipartReason({ try form.encode() }) else {
            Issue.record("not refused")
            return
        }
    }

    @Test(arguments: [
        HTTPHeader(name: "X\r\nY", value: "1"), HTTPHeader(name: "X", value: "1\r\n\r\n"),
        HTTPHeader(name: "", value: ""),
    ])
    func fieldThatIsNoFieldIsAnError(header: HTTPHeader) {
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
