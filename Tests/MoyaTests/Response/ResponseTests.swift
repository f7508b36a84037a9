import Foundation
import Moya
import MoyaSession
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct ResponseTests {
    private static let url = URL(string: "https://example.com")!

    private func http(_ status: Int, _ fields: [String: String]? = nil) -> HTTPURLResponse {
        HTTPURLResponse(url: Self.url, statusCode: status, httpVersion: nil, headerFields: fields)!
    }

    @Test func describesStatusAndLength() {
        let response = Response(statusCode: 200, data: Data("abc".utf8))
        #expect(response.description == "Status Code: 200, Data Length: 3")
        #expect(response.debugDescription == response.description)
    }

    @Test func requestDoesNotCountInEquality() {
        let one = Response(statusCode: 200, data: Data(), request: URLRequest(url: Self.url))
        #expect(one == Response(statusCode: 200, data: Data()))
    }

    @Test func statusCountsInEquality() {
        #expect(Response(statusCode: 200, data: Data()) != Response(statusCode: 201, data: Data()))
    }

    @Test func bodyCountsInEquality() {
        #expect(Response(statusCode: 200, data: Data()) != Response(statusCode: 200, data: Data("a".utf8)))
    }

    @Test func httpResponseCountsInEquality() {
        let one = Response(statusCode: 200, data: Data(), response: http(200))
        #expect(one != Response(statusCode: 200, data: Data()))
        #expect(one == Response(statusCode: 200, data: Data(), response: one.response))
    }

    @Test func headerFieldsCountInEquality() {
        let one = Response(statusCode: 200, data: Data(), response: http(200, ["ETag": "a"]))
        #expect(one != Response(statusCode: 200, data: Data(), response: http(200, ["ETag": "b"])))
    }

    @Test func httpResponseIsMadeOnceOnDemand() {
        let head = TransportResponseHead(status: 201, fields: [HTTPField(name: "X-A", value: "b")])
        let response = Response(statusCode: 201, data: Data(), sent: nil, source: .head(head, .url(Self.url)))
        #expect(response.response?.statusCode == 201)
        #expect(response.response?.value(forHTTPHeaderField: "x-a") == "b")
        #expect(response.response === response.response)
    }

    @Test func copyWithOtherBytesKeepsTrailers() {
        let response = Response(
            statusCode: 200, data: Data("a".utf8), sent: nil,
            source: .head(TransportResponseHead(status: 200), nil), trailers: [HTTPField(name: "Digest", value: "d")])
        #expect(response.with(Data("b".utf8)).trailers["Digest"] == "d")
    }
}
