#if HTTPTypes
import Foundation
// snippet: README, HTTPTypes
import HTTPTypes
import MoyaHTTPTypes
import MoyaSession
// end
import MoyaTesting
import MoyaTransport
import Testing

@Suite struct HTTPResponseTests {
    @Test(arguments: 0..<10)
    func randomHeadsSurviveARoundTrip(seed: Int) throws {
        var messages = RandomMessage(seed: UInt64(seed))
        for status in 100..<600 {
            let fields = messages.fields()
            let back = TransportResponseHead(
                try HTTPTypes.HTTPResponse(TransportResponseHead(status: status, fields: fields)))
            #expect(back.status == status)
            #expect(back.fields == fields)
        }
    }

    @Test(arguments: [-1, 1_000, .max])
    func statusOutsideOfThreeDigitsIsRefused(status: Int) {
        #expect(throws: HTTPTypesConversionError.invalidStatus(status)) {
            try HTTPTypes.HTTPResponse(TransportResponseHead(status: status))
        }
    }

    @Test func invalidFieldIsRepairedOrLeftOut() throws {
        let head = TransportResponseHead(
            status: 200, fields: [.init(name: "a b", value: "1"), .init(name: "A", value: "1\r\n2")])
        let fields = try HTTPTypes.HTTPResponse(head).headerFields
        #expect(fields.map(\.value) == ["1  2"])
    }

    @Test func headOfAStreamHasEveryLine() async throws {
        let server = try await LoopbackServer { exchange in
            try await exchange.respond(207, ["Set-Cookie": "a=1", "Set-Cookie": "b=2"], body: "")
        }
        let session = Session()
        let stream = try await session.request(server.url).stream()
        let response = try HTTPTypes.HTTPResponse(stream)
        #expect(response.status.code == 207)
        #expect(response.headerFields[values: .setCookie] == ["a=1", "b=2"])
    }

    @Test func readmeSampleConvertsBothWays() async throws {
        let transport = ScriptedTransport(.response(200, ["ETag": "1"], body: "[]"))
        let session = Session(transport: transport)
        // snippet: README, HTTPTypes
        let request = HTTPTypes.HTTPRequest(method: .get, scheme: "https", authority: "example.com", path: "/items")
        let stream = try await session.request(request).stream()
        let response = try HTTPTypes.HTTPResponse(stream)
        let headers = HTTPHeaders(response.headerFields)
        // end
        #expect(transport.requests.map(\.url) == ["https://example.com/items"])
        #expect(response.status == .ok && headers["ETag"] == "1")
    }
}
#endif
