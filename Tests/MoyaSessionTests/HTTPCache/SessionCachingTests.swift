import Foundation
import MoyaTransport
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A session with a separate cache, over a transport that counts the requests.
@Suite struct SessionCachingTests {
    private static let fresh = [("Cache-Control", "max-age=3600"), ("ETag", "\"1\"")]
    private static let stale = [("Cache-Control", "max-age=0"), ("ETag", "\"1\"")]

    private func session(
        _ transport: StubbedTransport, handler: (any CachedResponseHandler)? = nil,
        policy: URLRequest.CachePolicy = .useProtocolCachePolicy
    ) -> Session {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpAdditionalHeaders = [:]
        configuration.urlCache = URLCache(memoryCapacity: 1 << 20, diskCapacity: 0, diskPath: nil)
        configuration.requestCachePolicy = policy
        return Session(
            configuration: configuration, startRequestsImmediately: false, cachedResponseHandler: handler,
            transport: transport)
    }

    private func get(
        _ session: Session, _ policy: URLRequest.CachePolicy = .useProtocolCachePolicy
    ) async -> RequestOutcome {
        var request = URLRequest.to("https://example.com/a")
        request.cachePolicy = policy
        return await session.request(request).outcome()
    }

    private func text(_ outcome: RequestOutcome) -> String { String(decoding: outcome.data ?? Data(), as: UTF8.self) }

    @Test func freshResponseIsNotRequestedAgain() async {
        let transport = StubbedTransport(.response(200, Self.fresh, "one"), .response(200, Self.fresh, "two"))
        let session = session(transport)
        _ = await get(session)
        #expect(text(await get(session)) == "one")
        #expect(transport.requests.count == 1)
    }

    @Test func aStaleResponseIsConfirmedByA304() async {
        let transport = StubbedTransport(.response(200, Self.stale, "one"), .response(304, Self.fresh))
        let session = session(transport)
        _ = await get(session)
        let second = await get(session)
        #expect(text(second) == "one")
        #expect(second.head?.status == 200)
        #expect(transport.requests.last?.fields.contains(HTTPField(name: "If-None-Match", value: "\"1\"")) == true)
    }

    @Test func responseConfirmedByA304IsFreshAgain() async {
        let transport = StubbedTransport(.response(200, Self.stale, "one"), .response(304, Self.fresh))
        let session = session(transport)
        for _ in 0..<3 { _ = await get(session) }
        #expect(transport.requests.count == 2)
    }

    @Test func aChangedResponseReplacesTheOldOne() async {
        let transport = StubbedTransport(.response(200, Self.stale, "one"), .response(200, Self.fresh, "two"))
        let session = session(transport)
        _ = await get(session)
        #expect(text(await get(session)) == "two")
        #expect(text(await get(session)) == "two")
        #expect(transport.requests.count == 2)
    }

    @Test func aHandlerKeepsAResponseOutOfTheCache() async {
        let transport = StubbedTransport(.response(200, Self.fresh, "one"))
        let session = session(transport, handler: .doNotCache)
        for _ in 0..<2 { _ = await get(session) }
        #expect(transport.requests.count == 2)
    }

    @Test func aHandlerChangesTheStoredResponse() async {
        let transport = StubbedTransport(.response(200, Self.fresh, "one"))
        let session = session(
            transport,
            handler: .modify { _, response in
                CachedURLResponse(response: response.response, data: Data("changed".utf8))
            })
        #expect(text(await get(session)) == "one")
        #expect(text(await get(session)) == "changed")
    }

    @Test func theRequestsHandlerOverridesTheSessions() async {
        let transport = StubbedTransport(.response(200, Self.fresh, "one"))
        let session = session(transport, handler: .cache)
        let request = session.request(URLRequest.to("https://example.com/a")).cacheResponse(using: .doNotCache)
        _ = await request.outcome()
        _ = await get(session)
        #expect(transport.requests.count == 2)
    }

    @Test func reloadingBypassesTheCache() async {
        let transport = StubbedTransport(.response(200, Self.fresh, "one"), .response(200, Self.fresh, "two"))
        let session = session(transport)
        _ = await get(session)
        #expect(text(await get(session, .reloadIgnoringLocalCacheData)) == "two")
    }

    @Test func usesStaleResponsesOnRequest() async {
        let transport = StubbedTransport(.response(200, Self.stale, "one"))
        let session = session(transport)
        _ = await get(session)
        #expect(text(await get(session, .returnCacheDataElseLoad)) == "one")
        #expect(transport.requests.count == 1)
    }

    @Test func cacheOnlyLoadsNothing() async {
        let transport = StubbedTransport(.response(200, Self.fresh, "one"))
        let outcome = await get(session(transport), .returnCacheDataDontLoad)
        guard case .sessionTaskFailed(let error)? = outcome.error else {
            Issue.record("\(String(describing: outcome.error))")
            return
        }
        #expect((error as? URLError)?.code == .resourceUnavailable)
        #expect(transport.requests.isEmpty)
    }

    @Test func cacheOnlyWithoutACacheLoadsNothing() async {
        let transport = StubbedTransport(.response(200, Self.fresh, "one"))
        let outcome = await get(.over(transport), .returnCacheDataDontLoad)
        #expect(outcome.error?.isSessionTaskError == true)
        #expect(transport.requests.isEmpty)
    }

    @Test func theSessionsPolicyAppliesToRequestsThatSetNone() async {
        let transport = StubbedTransport(.response(200, Self.fresh, "one"))
        let session = session(transport, policy: .reloadIgnoringLocalCacheData)
        for _ in 0..<2 { _ = await get(session) }
        #expect(transport.requests.count == 2)
    }

    @Test func aPostInvalidatesStoredResponses() async {
        let transport = StubbedTransport(
            .response(200, Self.fresh, "one"), .response(204), .response(200, Self.fresh, "two"))
        let session = session(transport)
        _ = await get(session)
        _ = await session.request(URLRequest.to("https://example.com/a", method: "POST", body: "x")).outcome()
        #expect(text(await get(session)) == "two")
    }

    /// The response of a download is not stored in a `URLCache`.
    @Test func aPostThatDownloadsInvalidatesStoredResponses() async {
        let transport = StubbedTransport(
            .response(200, Self.fresh, "one"), .response(200, [], "report"), .response(200, Self.fresh, "two"))
        let session = session(transport)
        _ = await get(session)
        _ = await session.download(URLRequest.to("https://example.com/a", method: "POST", body: "x")).outcome()
        #expect(text(await get(session)) == "two")
    }

    @Test(arguments: [
        ("validated by a 304", 304, "max-age=0"), ("replaced after an error", 503, "max-age=0, stale-if-error=60"),
        ("validated in the background", 304, "max-age=0, stale-while-revalidate=60"),
    ])
    func cookiesAreStoredThoughTheStoredResponseIsDelivered(case: String, status: Int, control: String) async {
        let transport = StubbedTransport(
            .response(200, [("Cache-Control", control), ("ETag", "\"1\"")], "one"),
            .response(status, [("Set-Cookie", "sid=2")]))
        let session = session(transport)
        _ = await get(session)
        #expect(text(await get(session)) == "one")
        #expect(session.sessionConfiguration.httpCookieStorage?.cookies?.map(\.value) == ["2"])
    }

    @Test func sharedCacheIsUsedOnlyWithAHandler() async {
        let transport = StubbedTransport(.response(200, Self.fresh, "one"))
        let session = Session(startRequestsImmediately: false, transport: transport)
        for _ in 0..<2 { _ = await get(session) }
        #expect(transport.requests.count == 2)
    }

    @Test func validationsSeeAResponseOutOfTheCache() async {
        let transport = StubbedTransport(.response(200, Self.fresh, "one"))
        let session = session(transport)
        _ = await get(session)
        let request = session.request(URLRequest.to("https://example.com/a")).validate(statusCode: [201])
        #expect(await request.outcome().error?.isResponseValidationError == true)
    }
}
