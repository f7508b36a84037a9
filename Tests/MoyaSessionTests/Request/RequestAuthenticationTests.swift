import Foundation
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct RequestAuthenticationTests {
    private static let challenge = StubbedTransport.Answer.response(401, [("WWW-Authenticate", "Basic realm=\"r\"")])

    @Test func aChallengeIsAnsweredWithTheCredential() async {
        let transport = StubbedTransport(Self.challenge, .response(200))
        let session = Session.over(transport)
        let request = session.request(URLRequest.to("http://a.example/"))
        let outcome = await request.authenticate(username: "user", password: "pass").outcome()
        #expect(outcome.head?.status == 200)
        #expect(transport.requests[0].fields.isEmpty)
        #expect(transport.requests[1].fields == [HTTPField(name: "Authorization", value: "Basic dXNlcjpwYXNz")])
    }

    @Test func aRefusedCredentialIsNotSentAgain() async {
        let transport = StubbedTransport(Self.challenge)
        let session = Session.over(transport)
        let request = session.request(URLRequest.to("http://a.example/"))
        let outcome = await request.authenticate(username: "user", password: "wrong").outcome()
        #expect(outcome.head?.status == 401)
        #expect(outcome.error == nil)
        #expect(transport.requests.count == 2)
    }

    @Test func withoutACredentialTheResultIsA401() async {
        let transport = StubbedTransport(Self.challenge)
        let session = Session.over(transport)
        let outcome = await session.request(URLRequest.to("http://a.example/")).outcome()
        #expect(outcome.head?.status == 401)
        #expect(transport.requests.count == 1)
    }

    @Test func anotherOriginGetsNoCredential() async {
        let transport = StubbedTransport(.response(302, [("Location", "http://b.example/")]), Self.challenge)
        let session = Session.over(transport)
        let request = session.request(URLRequest.to("http://a.example/"))
        let outcome = await request.authenticate(username: "user", password: "pass").outcome()
        #expect(outcome.head?.status == 401)
        #expect(transport.requests.count == 2)
    }
}
