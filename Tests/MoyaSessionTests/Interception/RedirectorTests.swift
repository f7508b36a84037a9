import Foundation
import MoyaTransport
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct RedirectorTests {
    private let next = URLRequest.to("http://a.example/next")

    private func answer(of handler: any RedirectHandler) throws -> URLRequest? {
        let session = Session.over(StubbedTransport())
        let request = session.request(URLRequest.to("http://a.example/first"))
        let url = try #require(URL(string: "http://a.example/first"))
        let response = try #require(HTTPURLResponse(url: url, statusCode: 302, httpVersion: nil, headerFields: nil))
        let answers = Lock<[URLRequest?]>([])
        handler.task(request, willBeRedirectedTo: next, for: response) { answer in
            answers.withLock { $0.append(answer) }
        }
        let all = answers.withLock { $0 }
        try #require(all.count == 1)
        return all[0]
    }

    @Test func followSendsTheRequestOfTheRedirect() throws {
        #expect(try answer(of: .follow)?.url == next.url)
        #expect(try answer(of: Redirector(behavior: .follow))?.url == next.url)
        #expect(try answer(of: Redirector.follow)?.url == next.url)
    }

    @Test func doNotFollowEndsWithTheRedirect() throws {
        #expect(try answer(of: .doNotFollow) == nil)
        #expect(try answer(of: Redirector(behavior: .doNotFollow)) == nil)
        #expect(try answer(of: Redirector.doNotFollow) == nil)
    }

    @Test func modifySendsTheResultOfItsClosure() throws {
        let answer = try answer(
            of: .modify { _, request, response in
                var request = request
                request.setValue("\(response.statusCode)", forHTTPHeaderField: "X-Status")
                return request
            })
        #expect(answer?.value(forHTTPHeaderField: "X-Status") == "302")
    }

    @Test func modifyToNilEndsWithTheRedirect() throws {
        #expect(try answer(of: Redirector(behavior: .modify { _, _, _ in nil })) == nil)
    }

    @Test func theClosureIsGivenTheRequestThatIsRedirected() throws {
        let first = Lock<URL?>(nil)
        _ = try answer(
            of: .modify { task, request, _ in
                first.withLock { $0 = task.firstRequest?.url ?? URL(string: "not:started") }
                return request
            })
        #expect(first.withLock { $0?.absoluteString } == "not:started")
    }
}
