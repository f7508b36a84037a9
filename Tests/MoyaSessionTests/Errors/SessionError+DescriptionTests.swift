import Foundation
import MoyaSession
import MoyaTransport
import Testing

@Suite struct SessionErrorDescriptionTests {
    @Test(arguments: SessionErrorSamples.all.indices) func eachErrorIsDescribedByASentence(index: Int) {
        let text = SessionErrorSamples.all[index].localizedDescription
        #expect(text.count > 15)
        #expect(text.hasSuffix("."))
        #expect(!text.contains("SessionError error"))
    }

    @Test func valueIsNamed() {
        #expect(SessionErrorSamples.all[10].localizedDescription.contains("404"))
        #expect(SessionErrorSamples.all[12].localizedDescription.contains("example.com"))
        #expect(SessionErrorSamples.all[16].localizedDescription.contains("gopher"))
        #expect(SessionErrorSamples.all[5].localizedDescription.contains("/tmp/a.txt"))
    }

    @Test(arguments: [
        (String.Encoding.utf8, "utf-8"), (.isoLatin1, "iso-8859-1"), (.shiftJIS, "shift_jis"),
        (String.Encoding(rawValue: 0x8000_0632), "gb18030"), (String.Encoding(rawValue: 0x8000_020F), "iso-8859-15"),
        (.utf32, "\(String.Encoding.utf32)"),
    ])
    func encodingIsNamedAsInContentType(encoding: String.Encoding, name: String) {
        let error = SessionError.responseSerializationFailed(reason: .stringSerializationFailed(encoding: encoding))
        #expect(error.localizedDescription.contains("in the encoding \(name). Pass the right one as encoding:"))
    }

    @Test func revocationPolicyThatCannotBeMadeIsDescribed() {
        let error = SessionError.serverTrustEvaluationFailed(reason: .revocationPolicyCreationFailed)
        #expect(error.localizedDescription.contains("revocation"))
        #expect(error.localizedDescription.hasSuffix("."))
    }

    @Test func causeThatHasNoTextIsNamedByItsType() {
        #expect(SessionErrorSamples.all[8].localizedDescription.contains("Cause(name: \"cause\")"))
    }

    @Test func textOfACauseEndsInOneFullStop() {
        let error = DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "Not JSON."))
        let text = SessionError.responseSerializationFailed(reason: .decodingFailed(error: error)).localizedDescription
        #expect(text.hasSuffix("."))
        #expect(!text.hasSuffix(".."))
    }

    @Test(arguments: [
        (CocoaError.Code.fileWriteFileExists, "removePreviousFile"),
        (.fileNoSuchFile, "createIntermediateDirectories"), (.fileWriteUnsupportedScheme, "file URL"),
    ])
    func failedMoveNamesItsRemedy(code: CocoaError.Code, remedy: String) {
        let file = URL(fileURLWithPath: "/tmp/a.txt")
        let error = SessionError.downloadedFileMoveFailed(error: CocoaError(code), source: file, destination: file)
        #expect(error.localizedDescription.contains(remedy))
    }

    @Test func destinationOrUploadThatIsNoFileIsNamedWhole() throws {
        let url = try #require(URL(string: "https://example.com/a"))
        let file = URL(fileURLWithPath: "/tmp/a.txt")
        let move = SessionError.downloadedFileMoveFailed(
            error: CocoaError(.fileWriteUnsupportedScheme), source: file, destination: url)
        let upload = SessionError.urlRequestValidationFailed(reason: .uploadFileNotReadable(url: url))
        for error in [move, upload] { #expect(error.localizedDescription.contains("https://example.com/a")) }
    }

    @Test func failureOfATransportHasItsMessageAsText() {
        let errors: [any Error] = [
            TransportFailure(.tls(.clientCertificate), message: "clientIdentity: there is no key"),
            TrustRefusal(.expired, message: "clientIdentity: there is no key"),
        ]
        for error in errors { #expect(error.localizedDescription == "clientIdentity: there is no key.") }
    }

    @Test func passwordInAnInvalidURLIsMasked() {
        let text = SessionErrorSamples.all[4].localizedDescription
        #expect(text.contains("https://<masked>@exa mple.com"))
        #expect(!text.contains("secret"))
    }

    @Test func bodyOfAGETIsNotShown() {
        let error = SessionError.urlRequestValidationFailed(reason: .bodyDataInGETRequest(Data("secret".utf8)))
        #expect(error.localizedDescription.contains("6 bytes"))
    }

    @Test func lineBreaksAreShownEscaped() {
        let error = SessionError.urlRequestValidationFailed(reason: .invalidHeaderField(name: "a\r\nb"))
        #expect(error.localizedDescription.contains("\"a\\r\\nb\""))
    }
}
