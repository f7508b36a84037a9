import Foundation
import MoyaSession
import MoyaTransport
import Testing

@Suite struct DisabledTrustEvaluatorTests {
    @Test func acceptsAServerThatThePlatformRefuses() throws {
        let refused = TrustRefusal(.expired, message: "expired")
        #expect(try refusal(.disabled, .scripted([], chain: refused, host: refused)) == nil)
    }
}
