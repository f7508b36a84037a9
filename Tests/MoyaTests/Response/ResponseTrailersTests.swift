import Foundation
import Moya
import MoyaSession
import MoyaTesting
import Testing

@Suite(.timeLimit(.minutes(5))) struct ResponseTrailersTests {
    private func provider(_ answer: MoyaTesting.ScriptedTransport.Answer) -> MoyaProvider<API> {
        MoyaProvider(session: Session(transport: MoyaTesting.ScriptedTransport(answer)))
    }

    @Test func aResponseHasItsTrailers() async throws {
        let response = try await provider(.steps(.head(200), .chunk("a"), .trailers(["Digest": "abc"]))).request(API())
        #expect(response.trailers["digest"] == "abc")
        #expect(response.data == Data("a".utf8))
    }

    @Test func aResponseWithoutTrailersHasNone() async throws {
        #expect(try await provider(.response(200)).request(API()).trailers == HTTPHeaders())
    }

    @Test func aResponseThatCodeMakesHasNone() {
        #expect(Response(statusCode: 200, data: Data()).trailers == HTTPHeaders())
    }

    @Test func aStreamHasItsTrailersAfterItsEnd() async throws {
        let gate = Gate()
        let answer = MoyaTesting.ScriptedTransport.Answer.steps(
            .head(200), .chunk("a"), .wait(at: gate), .trailers(["Digest": "abc"]))
        let stream = try await provider(answer).stream(API())
        #expect(stream.trailers == HTTPHeaders())
        gate.open()
        for try await _ in stream.bytes {}
        #expect(stream.trailers["Digest"] == "abc")
    }
}
