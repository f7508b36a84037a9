import Foundation
import MoyaTransport
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct ResponseCacherTests {
    private func answer(of handler: any CachedResponseHandler) throws -> Data? {
        let session = Session.over(StubbedTransport())
        let request = session.request(URLRequest.to("http://a.example/"))
        let response = try #require(
            HTTPURLResponse(url: .sure("http://a.example/"), statusCode: 200, httpVersion: nil, headerFields: nil))
        let answers = Lock<[Data?]>([])
        let proposal = CachedURLResponse(response: response, data: Data("proposed".utf8))
        handler.dataTask(request, willCacheResponse: proposal) { answer in
            answers.withLock { $0.append(answer?.data) }
        }
        let all = answers.withLock { $0 }
        try #require(all.count == 1)
        return all[0]
    }

    @Test func cacheStoresTheProposedResponse() throws {
        #expect(try answer(of: .cache) == Data("proposed".utf8))
        #expect(try answer(of: ResponseCacher(behavior: .cache)) == Data("proposed".utf8))
        #expect(try answer(of: ResponseCacher.cache) == Data("proposed".utf8))
    }

    @Test func doNotCacheStoresNothing() throws {
        #expect(try answer(of: .doNotCache) == nil)
        #expect(try answer(of: ResponseCacher(behavior: .doNotCache)) == nil)
        #expect(try answer(of: ResponseCacher.doNotCache) == nil)
    }

    @Test func modifyStoresTheResultOfItsClosure() throws {
        let answer = try answer(
            of: .modify { _, proposed in
                CachedURLResponse(response: proposed.response, data: proposed.data + Data("!".utf8))
            })
        #expect(answer == Data("proposed!".utf8))
    }

    @Test func modifyToNilStoresNothing() throws {
        #expect(try answer(of: ResponseCacher(behavior: .modify { _, _ in nil })) == nil)
    }
}
