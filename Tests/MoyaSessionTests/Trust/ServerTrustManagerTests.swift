import Foundation
import MoyaSession
import Testing

@Suite struct ServerTrustManagerTests {
    @Test func theEvaluatorOfAHostIsFoundInAnyCase() throws {
        let manager = ServerTrustManager(evaluators: ["sample.test": DisabledTrustEvaluator()])
        #expect(try manager.serverTrustEvaluator(forHost: "Sample.TEST") is DisabledTrustEvaluator)
    }

    @Test func whatIsBelowAHostHasNoEvaluatorOfIts() throws {
        let manager = ServerTrustManager(evaluators: ["sample.test": DisabledTrustEvaluator()])
        let error = #expect(throws: SessionError.self) { try manager.serverTrustEvaluator(forHost: "www.sample.test") }
        guard case .serverTrustEvaluationFailed(.noRequiredEvaluator("www.sample.test"))? = error else {
            throw Unexpected(error)
        }
    }

    @Test func aHostWithoutEvaluatorIsLeftToThePlatformWhereThatIsAllowed() throws {
        let manager = ServerTrustManager(allHostsMustBeEvaluated: false, evaluators: [:])
        let evaluator = try manager.serverTrustEvaluator(forHost: "sample.test")
        #expect(evaluator == nil)
    }
}
