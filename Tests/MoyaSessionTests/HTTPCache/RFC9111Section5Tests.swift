import Foundation
import MoyaTransport
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Each MUST of section 5 of RFC 9111, and of section 1.2.2: fields and directives.
@Suite struct RFC9111Section5Tests {
    /// The number of requests for two calls, the second one some time after the first.
    private func requests(
        _ fields: [(String, String)], after seconds: Double = 0, asking: [(String, String)] = []
    ) async -> Int {
        let scene = CacheScene(StubbedTransport(.response(200, fields, "one")))
        await scene.send()
        scene.advance(by: seconds)
        await scene.send(fields: asking)
        return scene.wire.requests.count
    }

    private func control(_ value: String) -> [(String, String)] { [("Cache-Control", value)] }

    /// Section 1.2.2: a number of seconds that is too great is 2^31.
    @Test(arguments: ["2147483648", "2147483649", "99999999999999999999", String(repeating: "9", count: 10_000)])
    func numbersThatOverflowAreTheMaximum(number: String) {
        #expect(CacheControl(["max-age=\(number)"]).maxAge == 2_147_483_648)
    }

    /// Section 5.1: the first of several ages counts, and one that is not a number is ignored.
    @Test(arguments: [("50, 0", 2), ("0, 50", 1), ("-50", 1), ("50.5", 1), ("\"50\"", 1), ("50", 2)])
    func theFirstAgeCounts(value: String, count: Int) async {
        #expect(await requests(control("max-age=60") + [("Age", value)], after: 20) == count)
    }

    /// Section 5.2: directives are obeyed in either form, and in any case.
    @Test(arguments: ["max-age=10", "max-age=\"10\"", "MAX-AGE=10", "foo=\"max-age=99, a\", max-age=10"])
    func directivesAreObeyedInEitherForm(value: String) async {
        #expect(await requests(control(value), after: 9) == 1)
        #expect(await requests(control(value), after: 10) == 2)
    }

    /// Section 5.2.1.5: no part of a response to a request with `no-store` is stored.
    @Test func aRequestCanForbidStoring() async {
        let scene = CacheScene(StubbedTransport(.response(200, control("max-age=60"), "one")))
        await scene.send(fields: control("no-store"))
        #expect(scene.cache.size == 0)
    }

    /// Section 5.2.2.2: a stale response with `must-revalidate` is not used, disconnected or not.
    @Test(arguments: [TransportFailure.Kind.connect, .dns, .timeout(.total)])
    func mustRevalidateIsAnErrorWhenDisconnected(kind: TransportFailure.Kind) async {
        let scene = CacheScene(
            StubbedTransport(.response(200, control("max-age=60, must-revalidate"), "one"), .failure(kind)),
            staleIfError: .seconds(600))
        await scene.send()
        scene.advance(by: 60)
        #expect(await scene.send().error != nil)
    }

    /// Section 5.2.2.3: `must-understand` with a status that is known stands above `no-store`.
    @Test func mustUnderstandOverridesNoStore() async {
        #expect(await requests(control("max-age=60, no-store, must-understand")) == 1)
    }

    /// Section 5.2.2.4: `no-cache` is not used without a successful validation.
    @Test(arguments: [
        "no-cache", "max-age=60, no-cache", "max-age=60, No-Cache", "max-age=60, no-cache=\"\"", "no-cache, max-age=60",
    ])
    func noCacheIsNotUsedUnvalidated(value: String) async { #expect(await requests(control(value)) == 2) }

    /// Section 5.2.2.4: the fields that `no-cache` names are not in a later response.
    @Test func fieldsThatNoCacheNamesAreLeftOut() async {
        let scene = CacheScene(
            StubbedTransport(
                .response(200, control("max-age=60, no-cache=\"a, B\"") + [("A", "1"), ("b", "2")], "one")))
        await scene.send()
        let second = await scene.send()
        #expect(scene.wire.requests.count == 1)
        #expect(["a", "b"].map { second.head?.values(for: $0) } == [[], []])
    }

    /// Section 5.2.2.4: so are those that a later confirmation names.
    @Test func fieldsThatNoCacheOfA304NamesAreLeftOut() async {
        let scene = CacheScene(
            StubbedTransport(
                .response(200, control("max-age=0") + [("ETag", "\"1\""), ("a", "1")], "one"),
                .response(304, control("max-age=60, no-cache=\"a\"") + [("ETag", "\"1\"")])))
        await scene.send()
        await scene.send()
        let third = await scene.send()
        #expect(scene.wire.requests.count == 2)
        #expect(third.head?.values(for: "a") == [])
    }

    /// Section 5.2.1.7: `only-if-cached` is never sent, whatever the other fields.
    @Test(arguments: [("If-None-Match", "\"1\""), ("Range", "bytes=0-1,3-4")])
    func onlyIfCachedIsNotSentWithOtherFields(name: String, value: String) async {
        let scene = CacheScene(StubbedTransport(.response(200, control("max-age=60"), "one")))
        let outcome = await scene.send(fields: [("Cache-Control", "only-if-cached"), (name, value)])
        #expect(scene.wire.requests.isEmpty)
        #expect(outcome.head?.status == 504)
    }

    /// Section 5.2.2.5: no part of a response with `no-store` is stored.
    @Test(arguments: ["no-store", "max-age=60, no-store", "No-Store, public", "no-store=\"a\", max-age=60"])
    func aResponseCanForbidStoring(value: String) async {
        let scene = CacheScene(StubbedTransport(.response(200, control(value), "one")))
        await scene.send()
        #expect(scene.cache.size == 0)
    }

    /// Section 5.2.2.5: a response with `no-store` satisfies no other request, not even one that waits for it.
    @Test func aResponseWithNoStoreIsNotShared() {
        let wire = SteppedTransport()
        let transport = CacheTransport(
            inner: wire, cache: .memory(), policy: .useProtocolCachePolicy, queue: DispatchQueue(label: "test"))
        let sinks = [RecordingSink(), RecordingSink()]
        let calls = sinks.map { sink in
            transport.start(HTTPRequest(method: "GET", url: "https://example.com/a"), delivering: sink)
        }
        wire.exchanges[0].respond(200, control("no-store"), "one")
        wire.exchanges[1].respond(200, control("no-store"), "two")
        #expect(sinks.map(\.text) == ["one", "two"])
        withExtendedLifetime(calls) {}
    }

    /// Section 5.2.2.7 to 5.2.2.10: directives for shared caches do not bind a private one.
    @Test(arguments: [
        "private, max-age=60", "s-maxage=0, max-age=60", "proxy-revalidate, max-age=60", "private=\"a\", max-age=60",
    ])
    func directivesForSharedCachesAreIgnored(value: String) async {
        #expect(await requests(control(value), after: 59) == 1)
    }

    /// Section 5.2.3: directives that are not recognized are ignored.
    @Test(arguments: [
        "max-age=60, foo", "foo=bar, max-age=60", "foo=\"no-store\", max-age=60", "x-no-store, max-age=60",
    ])
    func unknownDirectivesAreIgnored(value: String) async { #expect(await requests(control(value), after: 59) == 1) }

    /// Section 5.3: an `Expires` that is not a date is in the past.
    @Test(arguments: ["0", "-1", "", "tomorrow", "2050-01-01", "Thu, 18 Aug 2050 02:01:18 PST"])
    func anExpiryThatIsNoDateIsInThePast(value: String) async { #expect(await requests([("Expires", value)]) == 2) }

    /// Section 5.3: `max-age` has `Expires` ignored.
    @Test(arguments: ["0", "Thu, 18 Aug 2050 02:01:18 GMT"]) func maxAgeOverridesExpires(value: String) async {
        #expect(await requests(control("max-age=10") + [("Expires", value)], after: 9) == 1)
        #expect(await requests(control("max-age=10") + [("Expires", value)], after: 10) == 2)
    }

    /// Section 5.4: `Pragma: no-cache` of a request counts where it has no `Cache-Control`.
    @Test func pragmaCountsWithoutCacheControl() async {
        #expect(await requests(control("max-age=60"), asking: [("Pragma", "no-cache")]) == 2)
        #expect(
            await requests(control("max-age=60"), asking: [("Pragma", "no-cache"), ("Cache-Control", "max-age=60")])
                == 1)
    }
}
