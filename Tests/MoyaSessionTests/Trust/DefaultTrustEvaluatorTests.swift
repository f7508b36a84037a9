import Foundation
import MoyaSession
import MoyaTransport
import Testing

@Suite struct DefaultTrustEvaluatorTests {
    @Test func acceptsAServerThatThePlatformAccepts() throws {
        #expect(try refusal(.default) == nil)
    }

    @Test(arguments: TrustRefusal.Reason.allCases)
    func refusesForThePlatformsReason(reason: TrustRefusal.Reason) throws {
        let trust = PresentedServerTrust.scripted(chain: TrustRefusal(reason, message: "in its words"))
        let found = try #require(try refusal(.default, trust))
        #expect(found.platformReason == reason)
        #expect(
            SessionError.serverTrustEvaluationFailed(reason: found).localizedDescription.contains("in its words"))
    }

    @Test func anotherHostIsRefusedUnlessNamesDoNotMatter() throws {
        let other = PresentedServerTrust.scripted(host: TrustRefusal(.wrongHost, message: "another host"))
        #expect(try refusal(.default, other)?.platformReason == .wrongHost)
        #expect(try refusal(.default(validateHost: false), other) == nil)
    }
}
