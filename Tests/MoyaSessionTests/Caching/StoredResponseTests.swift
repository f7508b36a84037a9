import Foundation
import MoyaTransport
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct StoredResponseTests {
    @Test func notesComeBackFromFoundation() throws {
        let stored = CacheSample.stored(
            ["ETag": "\"x\"", "Vary": "Accept"], status: 203,
            for: CacheSample.request(["Accept": "a/b", "Authorization": "Bearer x"]), took: 2)
        let cached = try #require(stored.cached)
        let back = try #require(StoredResponse(cached))
        #expect(back.url == stored.url)
        #expect(back.head.status == 203)
        #expect(back.head.value(for: "etag") == "\"x\"")
        #expect(back.body == Data("body".utf8))
        #expect(back.requested == stored.requested)
        #expect(back.received == stored.received)
        #expect(back.variants == ["accept": "a/b"])
        #expect(back.credential == stored.credential && back.credential != nil)
    }

    @Test func responseOfAnotherSchemeIsNotStored() {
        let response = URLResponse(
            url: .sure("file:///x"), mimeType: nil, expectedContentLength: 0, textEncodingName: nil)
        #expect(StoredResponse(CachedURLResponse(response: response, data: Data())) == nil)
    }

    @Test func notesThatAreNoneOfOursAreNotTrusted() throws {
        let response = try #require(
            HTTPURLResponse(url: .sure("http://e.com/"), statusCode: 200, httpVersion: nil, headerFields: [:]))
        let notes: [AnyHashable: Any] = ["MoyaReceived": Double.nan, "MoyaVariants": 5, "MoyaCredential": "x"]
        let stored = try #require(
            StoredResponse(
                CachedURLResponse(response: response, data: Data(), userInfo: notes, storagePolicy: .allowed)))
        #expect(stored.variants.isEmpty && stored.credential == nil)
        let request = HTTPRequest(method: "GET", url: "http://e.com/")
        guard
            case .use = HTTPCacheRules.decide(
                on: request, policy: .returnCacheDataElseLoad, stored: stored, at: Date())
        else {
            Issue.record("not used")
            return
        }
    }
}
