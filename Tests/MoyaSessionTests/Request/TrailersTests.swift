import Foundation
import MoyaTesting
import MoyaTransport
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite(.timeLimit(.minutes(5))) struct TrailersTests {
    private static let url = "http://a.example/"

    private let session = Session.over(
        ScriptedTransport(
            .steps(.head(200), .chunk("hello"), .trailers(["Digest": "abc", "T": "1", "t": "2"]))))

    @Test func trailersAreAvailableAfterTheEnd() async {
        let request = session.request(Self.url)
        #expect(await request.outcome().error == nil)
        #expect(request.trailers["digest"] == "abc")
        withExtendedLifetime(session) {}
    }

    @Test func trailersAreInTheResponse() async {
        let response = await session.request(Self.url).answered()
        #expect(response.trailers["Digest"] == "abc")
        #expect(response.map { $0?.count }.trailers["Digest"] == "abc")
        withExtendedLifetime(session) {}
    }

    @Test func trailersAreInTheResponseOfADownload() async {
        let response = await session.download(Self.url).answered()
        #expect(response.trailers["Digest"] == "abc")
        #expect(response.map { $0?.path }.trailers["Digest"] == "abc")
        withExtendedLifetime(session) {}
    }

    @Test func valuesOfOneNameAreJoined() async {
        #expect(await session.request(Self.url).answered().trailers["T"] == "1, 2")
        withExtendedLifetime(session) {}
    }

    @Test func trailersAreNoFieldsOfTheHead() async {
        let response = await session.request(Self.url).answered()
        #expect(response.response?.headers["Digest"] == nil)
        #expect(response.response?.statusCode == 200)
        withExtendedLifetime(session) {}
    }

    @Test func aResponseWithoutTrailersHasNone() async {
        let session = Session.over(ScriptedTransport(.response(200, body: "hello")))
        let response = await session.request(Self.url).answered()
        #expect(response.response?.statusCode == 200)
        #expect(response.trailers == HTTPHeaders())
        withExtendedLifetime(session) {}
    }

    @Test func trailersOfAnEarlierAttemptAreForgotten() async {
        let failed = ScriptedTransport.Answer.steps(
            .head(200), .trailers(["Digest": "old"]), .failure(TransportFailure(.reset, message: "")))
        let transport = ScriptedTransport(failed, .response(200))
        let session = Session.over(transport, interceptor: Intercepting.retrying(1))
        let request = session.request(Self.url)
        #expect(await request.outcome().error == nil)
        #expect(request.trailers == HTTPHeaders())
        withExtendedLifetime(session) {}
    }

    @Test func aTrailerSetsNoCookie() async throws {
        let configuration = URLSessionConfiguration.ephemeral
        let transport = ScriptedTransport(
            .steps(.head(200), .trailers(["Set-Cookie": "a=b"])), .response(200))
        let session = Session(configuration: configuration, transport: transport)
        for _ in 0..<2 { _ = await session.request(Self.url).outcome() }
        #expect(transport.requests.last?.fields.contains { $0.name.lowercased() == "cookie" } == false)
    }
}
