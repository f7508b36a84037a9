import Foundation
import MoyaSession
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

    @Test func causeThatHasNoTextIsNamedByItsType() {
        #expect(SessionErrorSamples.all[8].localizedDescription.contains("Cause(name: \"cause\")"))
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
