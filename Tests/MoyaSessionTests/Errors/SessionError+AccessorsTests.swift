import Foundation
import MoyaSession
import Testing

@Suite struct SessionErrorAccessorsTests {
    typealias Cause = SessionErrorSamples.Cause

    static let questions: [@Sendable (SessionError) -> Bool] = [
        \.isCreateUploadableError, \.isCreateURLRequestError, \.isDownloadedFileMoveError,
        \.isExplicitlyCancelledError, \.isInvalidURLError, \.isMultipartEncodingError, \.isParameterEncodingError,
        \.isParameterEncoderError, \.isRequestAdaptationError, \.isRequestRetryError, \.isResponseValidationError,
        \.isResponseSerializationError, \.isServerTrustEvaluationError, \.isSessionDeinitializedError,
        \.isSessionInvalidatedError, \.isSessionTaskError, \.isURLRequestValidationError,
        \.isResponseTooLargeError,
    ]

    @Test(arguments: SessionErrorSamples.all.indices) func eachErrorHasOneKind(index: Int) {
        let answers = Self.questions.map { $0(SessionErrorSamples.all[index]) }
        #expect(answers.indices.filter { answers[$0] } == [index])
    }

    @Test func underlyingErrorIsTheCause() {
        let causes = SessionErrorSamples.all.map { $0.underlyingError as? Cause != nil }
        #expect(
            causes == [
                true, true, true, false, false, false, true, true, true, true, false, false, false, false, true, true,
                false, false,
            ])
    }

    @Test func underlyingErrorOfAFailedRetryIsThatOfTheRetrier() {
        let error = SessionError.requestRetryFailed(retryError: Cause(name: "a"), originalError: Cause(name: "b"))
        #expect(error.underlyingError as? Cause == Cause(name: "a"))
    }

    @Test func underlyingErrorOfAMultipartFailureIsThatOfItsReason() {
        let error = SessionError.multipartEncodingFailed(
            reason: .bodyPartFileNotReachableWithError(atURL: SessionErrorSamples.file, error: Cause(name: "a")))
        #expect(error.underlyingError as? Cause == Cause(name: "a"))
        #expect(error.url == SessionErrorSamples.file)
    }

    @Test func invalidURLHasItsConvertibleOnly() {
        let error = SessionError.invalidURL(url: "not a url")
        #expect(error.urlConvertible as? String == "not a url")
        #expect(error.url == nil)
        #expect(error.underlyingError == nil)
        #expect(error.responseCode == nil)
    }

    @Test func unacceptableContentTypeHasBothTypes() {
        let error = SessionError.responseValidationFailed(
            reason: .unacceptableContentType(acceptableContentTypes: ["a/b"], responseContentType: "c/d"))
        #expect(error.acceptableContentTypes == ["a/b"])
        #expect(error.responseContentType == "c/d")
    }

    @Test func unacceptableStatusHasItsCode() {
        #expect(
            SessionError.responseValidationFailed(reason: .unacceptableStatusCode(code: 404)).responseCode == 404)
    }

    @Test func failedMoveHasBothPlaces() {
        let error = SessionErrorSamples.all[2]
        #expect(error.sourceURL?.path == "/tmp/a.txt")
        #expect(error.destinationURL?.path == "/tmp/b.txt")
    }

    @Test func sessionErrorIsFoundBehindAnyError() {
        let error: any Error = SessionError.sessionDeinitialized
        #expect(error.asAFError?.isSessionDeinitializedError == true)
        #expect(error.asSessionError?.isSessionDeinitializedError == true)
    }

    @Test func anotherErrorIsNoSessionError() {
        #expect((Cause(name: "a") as any Error).asAFError == nil)
        #expect((URLError(.timedOut) as any Error).asAFError == nil)
    }

    @Test func otherErrorIsWrappedInASessionError() {
        let known: any Error = SessionError.sessionDeinitialized
        #expect(known.asAFError(orFailWith: "known").isSessionDeinitializedError)
        let other = (Cause(name: "a") as any Error).asAFError(orFailWith: "other")
        #expect(other.isSessionTaskError && other.underlyingError as? Cause == Cause(name: "a"))
    }

    @Test func cancelledURLErrorsAreCancelledSessionErrors() {
        let errors: [any Error] = [
            NSError(domain: NSURLErrorDomain, code: -999), URLError(.cancelled),
            SessionError.explicitlyCancelled as NSError,
        ]
        for error in errors { #expect(error.asAFError?.isExplicitlyCancelledError == true) }
    }
}
