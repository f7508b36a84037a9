import Foundation
import Moya
import Testing

@Suite struct MultipartFormDataTests {
    private let part = MultipartFormData(
        provider: .data(Data("bytes".utf8)), name: "field", fileName: "name.txt", mimeType: "text/plain")

    @Test func keepsTheName() { #expect(part.name == "field") }

    @Test func keepsTheFileName() { #expect(part.fileName == "name.txt") }

    @Test func keepsTheMIMEType() { #expect(part.mimeType == "text/plain") }

    @Test func keepsTheProvider() { #expect(part.provider == .data(Data("bytes".utf8))) }

    @Test func fileNameAndMIMETypeAreOptional() {
        let part = MultipartFormData(provider: .file(URL(fileURLWithPath: "/a")), name: "field")
        #expect(part.fileName == nil && part.mimeType == nil)
    }

    @Test func streamsAreEqualByIdentity() {
        let stream = InputStream(data: Data("bytes".utf8))
        let part = MultipartFormData(provider: .stream(stream, 5), name: "field")
        #expect(part == MultipartFormData(provider: .stream(stream, 5), name: "field"))
        let other = InputStream(data: Data("bytes".utf8))
        #expect(part != MultipartFormData(provider: .stream(other, 5), name: "field"))
    }
}
