import Foundation
import Moya
import Testing

@Suite struct EndpointTests {
    private let endpoint = Endpoint(
        url: "https://example.com/zen", sampleResponseClosure: { .networkResponse(200, Data("sample".utf8)) },
        method: .post, task: .requestPlain, httpHeaderFields: ["Title": "Dominar"])

    @Test func addingHeadersGivesTheNewHeader() {
        let agent = endpoint.adding(newHTTPHeaderFields: ["User-Agent": "Ellul"])
        #expect(agent.httpHeaderFields == ["Title": "Dominar", "User-Agent": "Ellul"])
    }

    @Test func addingHeadersKeepsTheURL() {
        #expect(endpoint.adding(newHTTPHeaderFields: ["A": "b"]).url == endpoint.url)
    }

    @Test func addingHeadersKeepsTheMethod() {
        #expect(endpoint.adding(newHTTPHeaderFields: ["A": "b"]).method == .post)
    }

    @Test func addedHeaderReplacesOneOfTheSameName() {
        #expect(endpoint.adding(newHTTPHeaderFields: ["Title": "Other"]).httpHeaderFields == ["Title": "Other"])
    }

    @Test func namesAreMergedAsTheyAreSpelled() {
        let merged = endpoint.adding(newHTTPHeaderFields: ["title": "other"])
        #expect(merged.httpHeaderFields == ["Title": "Dominar", "title": "other"])
    }

    @Test func addingNoHeadersKeepsNone() {
        let bare = Endpoint(
            url: "https://example.com", sampleResponseClosure: { .networkResponse(200, Data()) }, method: .get,
            task: .requestPlain, httpHeaderFields: nil)
        #expect(bare.adding(newHTTPHeaderFields: [:]).httpHeaderFields == nil)
    }

    @Test func replacingTheTaskGivesTheNewTask() {
        guard case .requestData(let data) = endpoint.replacing(task: .requestData(Data("new".utf8))).task else {
            Issue.record("The task was not replaced.")
            return
        }
        #expect(data == Data("new".utf8))
    }

    @Test func replacingTheTaskKeepsTheHeaders() {
        #expect(endpoint.replacing(task: .requestPlain).httpHeaderFields == ["Title": "Dominar"])
    }

    @Test func replacingTheTaskKeepsTheSample() {
        guard case .networkResponse(200, let data) = endpoint.replacing(task: .requestPlain).sampleResponseClosure()
        else {
            Issue.record("The sample was not kept.")
            return
        }
        #expect(data == Data("sample".utf8))
    }
}
