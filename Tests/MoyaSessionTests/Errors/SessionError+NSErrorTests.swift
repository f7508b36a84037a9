import Foundation
import MoyaSession
import Testing

@Suite struct SessionErrorNSErrorTests {
    @Test func cancelledIsURLErrorCancelled() {
        let error = SessionError.explicitlyCancelled as NSError
        #expect(error.domain == NSURLErrorDomain)
        #expect(error.code == -999)
    }

    @Test func cancelledBehindAnyErrorIsTheSame() {
        let error = (SessionError.explicitlyCancelled as any Error) as NSError
        #expect(error.domain == NSURLErrorDomain)
    }

    /// Swift numbers the cases with values first, in the order of their declaration.
    @Test func codesAreThoseOfAlamofire() {
        let codes = SessionErrorSamples.all.map { ($0 as NSError).code }
        #expect(codes == [0, 1, 2, -999, 3, 4, 5, 6, 7, 8, 9, 10, 11, 16, 12, 13, 14, 17])
    }

    @Test func otherErrorsHaveTheSessionErrorDomain() {
        for error in SessionErrorSamples.all where !error.isExplicitlyCancelledError {
            #expect((error as NSError).domain == "MoyaSession.SessionError")
        }
    }

    @Test func textSurvivesTheBridge() {
        for error in SessionErrorSamples.all {
            #expect((error as NSError).localizedDescription == error.errorDescription)
        }
    }
}
