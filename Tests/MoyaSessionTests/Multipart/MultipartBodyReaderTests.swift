import Foundation
import Testing

@testable import MoyaSession

@Suite struct MultipartBodyReaderTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func form(_ streams: [String]) throws -> RequestMultipartFormData {
        let form = RequestMultipartFormData(boundary: "B")
        form.append(Data("in memory".utf8), withName: "a")
        form.append(try directory.file("f.txt", "in a file"), withName: "b")
        for text in streams { form.append(InputStream(data: Data(text.utf8)), headers: ["X-A": "1"]) }
        return form
    }

    private func read(_ reader: MultipartBodyReader, by size: Int) throws -> [String] {
        var chunks: [String] = []
        var buffer = [UInt8](repeating: 0, count: size)
        while case let count = try buffer.withUnsafeMutableBytes({ try reader.read(into: $0) }), count > 0 {
            chunks.append(String(decoding: buffer[..<count], as: UTF8.self))
        }
        return chunks
    }

    @Test(arguments: [1, 7, 64, 4096]) func bytesAreThoseOfTheEncodedForm(size: Int) throws {
        let texts = ["one", "", String(repeating: "two", count: 100)]
        let encoded = String(decoding: try form(texts).encode(), as: UTF8.self)
        #expect(try read(try form(texts).makeBodyReader(), by: size).joined() == encoded)
    }

    @Test func formWithoutPartsHasNoBytes() throws {
        #expect(try read(try RequestMultipartFormData().makeBodyReader(), by: 10) == [])
    }

    @Test func partsBeforeAStreamGoFirstAndItsBytesGoAtOnce() throws {
        let chunks = try read(try form(["one", "two"]).makeBodyReader(), by: 4096)
        #expect(chunks.count == 5)
        #expect(chunks[0].hasSuffix("in a file\r\n--B\r\nX-A: 1\r\n\r\n"))
        #expect(Array(chunks[1...]) == ["one", "\r\n--B\r\nX-A: 1\r\n\r\n", "two", "\r\n--B--\r\n"])
    }

    @Test func emptyBufferReadsNothing() throws {
        let reader = try form(["one"]).makeBodyReader()
        #expect(try reader.read(into: UnsafeMutableRawBufferPointer(start: nil, count: 0)) == 0)
        #expect(try read(reader, by: 100).isEmpty == false)
    }

    @Test func fileThatIsGoneIsAnError() throws {
        let form = RequestMultipartFormData(boundary: "B")
        let file = try directory.file("f.txt", "x")
        form.append(file, withName: "n")
        let reader = try form.makeBodyReader()
        try FileManager.default.removeItem(at: file)
        guard case .bodyPartInputStreamCreationFailed(file)? = multipartReason({ try read(reader, by: 100) }) else {
            Issue.record("no such error")
            return
        }
    }

    @Test func streamShorterThanItsLengthIsAnError() throws {
        let form = RequestMultipartFormData(boundary: "B")
        form.append(InputStream(data: Data("abc".utf8)), withLength: 4, headers: [:])
        let reader = try form.makeBodyReader()
        guard case .inputStreamReadFailed(let error)? = multipartReason({ try read(reader, by: 100) }) else {
            Issue.record("no such error")
            return
        }
        #expect(
            error as? SessionError.UnexpectedInputStreamLength == .init(bytesExpected: 4, bytesRead: 3))
    }

    @Test func formIsReadOnce() throws {
        let form = try form(["one"])
        _ = try form.makeBodyReader()
        #expect(multipartReason { try form.makeBodyReader() } != nil)
    }
}
