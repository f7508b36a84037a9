#if TaskAlias
import Foundation
import Moya
import MoyaSession
import Testing

/// Casts of errors to `NSError`, in the forms that apps have.
@Suite struct NSErrorCastTests {
    private let failure: Result<Moya.Response, MoyaError> = .failure(.requestMapping("nowhere"))

    @Test func resultMatchesAnNSErrorPattern() {
        guard case .failure(let error as NSError) = failure else { Issue.record("no match"); return }
        #expect(error.code == 7)
        #expect(error.domain == "Moya.MoyaError")
        #expect(error.localizedDescription == "Failed to map Endpoint to a URLRequest.")
    }

    @Test func errorIsCastConditionally() {
        guard case .failure(let error) = failure else { Issue.record("no match"); return }
        let cast = error as? NSError
        #expect(cast?.code == 7)
    }

    @Test func typedErrorIsCaught() {
        do {
            _ = try failure.get()
        } catch let error as NSError {
            #expect(error.code == 7)
        }
    }

    @Test func anyErrorStaysAMoyaError() {
        let error: Error = MoyaError.requestMapping("nowhere")
        #expect((error as NSError).code == 7)
        guard case .requestMapping("nowhere")? = error as? MoyaError else { Issue.record("no match"); return }
    }

    @Test func foreignNSErrorIsNoMoyaError() {
        let error: Error = NSError(domain: "d", code: 1)
        #expect(!(error is MoyaError))
        #expect(!(error is AFError))
    }

    @Test func sessionErrorIsCast() {
        let error = AFError.explicitlyCancelled
        let cast = error as? NSError
        #expect(cast?.code == NSURLErrorCancelled)
        #expect(cast?.domain == NSURLErrorDomain)
    }

    @Test func underlyingErrorIsCast() {
        let error = MoyaError.underlying(AFError.sessionTaskFailed(error: URLError(.timedOut)), nil)
        guard case let .underlying(cause as NSError, _) = error else { Issue.record("no match"); return }
        #expect(cause.code == 13)
        guard case .underlying(let cause, _) = error, let underlying = cause.asAFError?.underlyingError as? URLError
        else { Issue.record("no match"); return }
        #expect(underlying.code == .timedOut)
    }
}
#endif
