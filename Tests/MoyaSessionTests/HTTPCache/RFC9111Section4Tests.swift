import Foundation
import MoyaTransport
import Testing

@testable import MoyaSession

/// Each MUST of section 4 of RFC 9111, in its order: answering with stored responses.
@Suite struct RFC9111Section4Tests {
    private let fresh = [("Cache-Control", "max-age=60"), ("ETag", "\"1\"")]

    private func date(_ seconds: Double) -> String {
        Date(timeIntervalSince1970: 1_000_000_000 + seconds).httpText
    }

    private func scene(_ answers: StubbedTransport.Answer..., staleIfError: Duration? = nil) -> CacheScene {
        CacheScene(StubbedTransport(answers), staleIfError: staleIfError)
    }

    // MARK: 4, a stored response must not be reused unless …

    /// Section 4: … the presented target URI and that of the stored response match.
    @Test(arguments: [
        "https://example.com/a?", "https://example.com/a/", "https://example.com/A", "http://example.com/a",
        "https://example.com:8443/a", "https://a.example.com/a",
    ])
    func anotherURLIsAnotherResource(url: String) async {
        let scene = scene(.response(200, fresh, "one"), .response(200, fresh, "two"))
        await scene.send()
        #expect(scene.text(await scene.send("GET", url)) == "two")
    }

    /// RFC 9110 section 7.1: the authority of the target URI is that of a `Host` in the request.
    @Test func anotherHostFieldIsAnotherResource() async {
        let scene = scene(.response(200, fresh, "one"), .response(200, fresh, "two"), .response(200, fresh, "three"))
        await scene.send()
        #expect(await scene.get([("Host", "a.example")]) == "two")
        #expect(await scene.get([("Host", "b.example")]) == "three")
        #expect(await scene.get([("Host", "a.example")]) == "two")
    }

    /// RFC 9110 section 6.6.1: a response without a date was made when it arrived.
    @Test func aResponseIsFreshAfterA304WithoutADate() async {
        let control = ("Cache-Control", "max-age=60")
        let scene = scene(
            .response(200, [control, ("ETag", "\"1\""), ("Date", date(0))], "one"), .response(304, [control]))
        await scene.send()
        scene.advance(by: 100)
        for _ in 0..<3 { await scene.send() }
        #expect(scene.wire.requests.count == 2)
    }

    /// Section 4: … the method of the stored response's request allows it to be used.
    @Test(arguments: ["POST", "PUT", "DELETE", "OPTIONS", "QUERY", "TRACE"])
    func aResponseToGETAnswersNoOtherMethod(method: String) async {
        let scene = scene(.response(200, fresh, "one"))
        await scene.send()
        await scene.send(method)
        #expect(scene.wire.requests.count == 2)
    }

    /// Section 4: … it has no `no-cache`, unless it is validated.
    @Test func noCacheIsValidatedBeforeEachUse() async {
        let scene = scene(
            .response(200, [("Cache-Control", "max-age=60, no-cache"), ("ETag", "\"1\"")], "one"), .response(304))
        for _ in 0..<3 { #expect(await scene.get() == "one") }
        #expect(scene.wire.requests.count == 3)
    }

    /// Section 4: … it is fresh, allowed to be stale, or validated.
    @Test func aStaleResponseIsNotReused() async {
        let scene = scene(.response(200, [("Cache-Control", "max-age=60")], "one"), .response(200, fresh, "two"))
        await scene.send()
        scene.advance(by: 60)
        #expect(await scene.get() == "two")
    }

    /// Section 4: a response without validation has an `Age`, in place of any other.
    @Test func theAgeReplacesThatOfTheServer() async {
        let scene = scene(.response(200, fresh + [("Age", "7"), ("Age", "9")], "one"))
        await scene.send()
        scene.advance(by: 5)
        #expect(await scene.send().head?.values(for: "age") == ["12"])
    }

    /// Section 4: unsafe methods are written through.
    @Test(arguments: ["POST", "PUT", "DELETE", "PATCH", "M-SEARCH"])
    func unsafeMethodsReachTheServer(method: String) async {
        let scene = scene(.response(200, fresh, "one"))
        for _ in 0..<2 { await scene.send(method, "https://example.com/a", [("Cache-Control", "only-if-cached")]) }
        #expect(scene.wire.requests.map(\.method) == [method, method])
    }

    /// Section 4: of several suitable responses the most recent one is used, by its `Date`.
    @Test func theMostRecentByDateIsUsed() async {
        let scene = scene(
            .response(200, [("Cache-Control", "max-age=600"), ("Date", date(0))], "newer"),
            .response(200, [("Cache-Control", "max-age=600"), ("Date", date(-60)), ("Vary", "Foo")], "older"))
        await scene.send()
        await scene.send(fields: [("Cache-Control", "no-cache")])
        #expect(await scene.get() == "newer")
        #expect(scene.wire.requests.count == 2)
    }

    /// Section 4: without a clock to rely on, stored responses are validated.
    @Test func aClockThatWasSetBackCausesValidation() async {
        let scene = scene(.response(200, fresh, "one"), .response(304))
        await scene.send()
        scene.advance(by: -3600)
        await scene.send()
        #expect(scene.wire.requests[1].fields.contains("if-none-match"))
    }

    // MARK: 4.1, Vary

    /// Section 4.1: a response is not used unless the fields that it names match those of its request.
    @Test(
        arguments: [[("Foo", "2")], [], [("Foo", "1"), ("Foo", "2")], [("Foo", "")]] as [[(String, String)]])
    func aVariantIsUsedForItsFieldsOnly(fields: [(String, String)]) async {
        let scene = scene(
            .response(200, fresh + [("Vary", "Bar, foo")], "one"), .response(200, fresh, "two"))
        await scene.send(fields: [("Foo", "1")])
        #expect(await scene.get(fields) == "two")
    }

    /// Section 4.1: media types have no case (RFC 9110 section 8.3.1), but the values of their parameters may.
    @Test(arguments: [("Text/X;V=A", "one"), ("text/x;v=a", "two")])
    func aVariantIsUsedForTheSameParametersOnly(accepted: String, body: String) async {
        let scene = scene(.response(200, fresh + [("Vary", "Accept")], "one"), .response(200, fresh, "two"))
        await scene.send(fields: [("Accept", "text/x;v=A")])
        #expect(await scene.get([("Accept", accepted)]) == body)
    }

    /// Section 4.1: values match by their bytes; "é" has other bytes than "e" with an accent, although both are equal.
    @Test func aVariantIsUsedForTheSameBytesOnly() async {
        let scene = scene(.response(200, fresh + [("Vary", "Foo")], "one"), .response(200, fresh, "two"))
        await scene.send(fields: [("Foo", "\u{E9}")])
        #expect(await scene.get([("Foo", "\u{E9}")]) == "one")
        #expect(await scene.get([("Foo", "e\u{301}")]) == "two")
    }

    /// Section 4.1: `Vary: *` matches nothing.
    @Test(arguments: ["*", "Foo, *", " * "]) func aVaryOfEverythingNeverMatches(value: String) async {
        let scene = scene(.response(200, fresh + [("Vary", value)], "one"), .response(200, fresh, "two"))
        await scene.send()
        #expect(await scene.get() == "two")
    }

    // MARK: 4.2, freshness

    /// Section 4.2: an `Expires` is represented as the nearest time that is not later.
    @Test func anExpiryIsNotRoundedUp() {
        let fields = [HTTPField]([("Date", date(0)), ("Expires", date(10))])
        #expect(CacheFreshness(status: 200, fields: fields, requested: 1e9, received: 1e9).lifetime == 10)
    }

    #if os(Linux) || os(macOS)
    /// Section 4.2: local time zones have no influence.
    @Test(arguments: ["Asia/Tokyo", "America/St_Johns"]) func theTimeZoneHasNoInfluence(zone: String) async {
        await #expect(processExitsWith: .success) { [zone] in
            setenv("TZ", zone, 1)
            tzset()
            let fields = [
                HTTPField(name: "Date", value: "Sun, 09 Sep 2001 01:46:40 GMT"),
                HTTPField(name: "Expires", value: "Sun, 09 Sep 2001 01:47:40 GMT"),
            ]
            let freshness = CacheFreshness(status: 200, fields: fields, requested: 1e9, received: 1e9)
            #expect(freshness.timeToLive(at: 1e9) == 60)
        }
    }
    #endif

    /// Section 4.2.2: an explicit expiration time leaves no room for heuristics.
    @Test(
        arguments: [[("Cache-Control", "max-age=0")], [("Expires", "0")], [("Cache-Control", "max-age=x")]]
            as [[(String, String)]])
    func anExplicitExpiryExcludesHeuristics(fields: [(String, String)]) async {
        let scene = scene(.response(200, fields + [("Last-Modified", date(-1e8))], "one"))
        for _ in 0..<2 { await scene.send() }
        #expect(scene.wire.requests.count == 2)
    }

    /// Section 4.2.3: an `Age` counts from the time of the request.
    @Test func theAgeCountsFromTheRequest() {
        let fields = [HTTPField(name: "Age", value: "5")]
        let freshness = CacheFreshness(status: 200, fields: fields, requested: 1000, received: 1004)
        #expect(freshness.age(at: 1010) == 15)
    }

    /// Section 4.2.4: no stale response where a directive forbids it.
    @Test(arguments: ["no-cache", "must-revalidate"]) func aDirectiveForbidsStaleResponses(directive: String) async {
        let control = "max-age=60, \(directive), stale-if-error=600, stale-while-revalidate=600"
        let scene = scene(
            .response(200, [("Cache-Control", control)], "one"), .failure(.connect), staleIfError: .seconds(600))
        await scene.send()
        scene.advance(by: 61)
        #expect(await scene.send(fields: [("Cache-Control", "max-stale")]).error != nil)
    }

    /// Section 4.2.4: no stale response without a disconnection or a permission.
    @Test func aStaleResponseNeedsAPermission() async {
        let scene = scene(.response(200, fresh, "one"), .response(503, [], "down"))
        await scene.send()
        scene.advance(by: 61)
        #expect(await scene.send().head?.status == 503)
    }

    // MARK: 4.3, validation

    /// Section 4.3.1: the entity tags of the stored response are sent.
    @Test(arguments: ["\"1\"", "W/\"1\""]) func aValidationHasTheEntityTag(tag: String) async {
        let scene = scene(.response(200, [("Cache-Control", "max-age=0"), ("ETag", tag)], "one"), .response(304))
        for _ in 0..<2 { await scene.send() }
        #expect(scene.wire.requests[1].fields.values(for: "if-none-match") == [tag])
    }

    /// Section 4.3.2: conditions for the server are not evaluated by the cache.
    @Test(arguments: ["If-None-Match", "If-Match", "If-Modified-Since", "If-Unmodified-Since", "If-Range"])
    func conditionsOfTheCallerReachTheServer(name: String) async {
        let scene = scene(.response(200, fresh, "one"), .response(304, [("ETag", "\"1\"")]))
        await scene.send()
        #expect(await scene.send(fields: [(name, "\"1\"")]).head?.status == 304)
        #expect(scene.wire.requests.count == 2)
    }

    /// Section 4.3.3: a full response to a validation is the answer.
    @Test(arguments: [200, 404, 500]) func aFullResponseIsTheAnswer(status: Int) async {
        let scene = scene(.response(200, fresh, "one"), .response(status, [], "two"))
        await scene.send()
        scene.advance(by: 61)
        let second = await scene.send()
        #expect(second.head?.status == status)
        #expect(scene.text(second) == "two")
    }

    /// Section 4.3.4: a 304 with a strong validator updates no response without it.
    @Test(arguments: ["\"1\"", nil]) func a304OfAnotherVersionUpdatesNothing(tag: String?) async {
        let tags = tag.map { [("ETag", $0)] } ?? []
        let stored = [("Cache-Control", "max-age=0"), ("Last-Modified", date(-100))] + tags
        let scene = scene(
            .response(200, stored, "one"), .response(304, [("Cache-Control", "max-age=60"), ("ETag", "\"2\"")]),
            .response(200, fresh, "two"))
        await scene.send()
        #expect(await scene.get() == "two")
        #expect(!scene.wire.requests[2].fields.contains { $0.name.hasPrefix("If-") })
    }

    /// Section 4.3.4: the fields of a 304 update the response that it identifies.
    ///
    /// A departure: a strong tag also identifies the weak one, since servers that compress responses weaken their tags,
    /// but not those of a 304.
    @Test(arguments: ["\"1\"", "W/\"1\""]) func a304UpdatesTheResponseOfItsTag(tag: String) async {
        let scene = scene(
            .response(200, [("Cache-Control", "max-age=0"), ("ETag", tag), ("A", "1")], "one"),
            .response(304, [("Cache-Control", "max-age=60"), ("ETag", "\"1\""), ("A", "2")]))
        for _ in 0..<2 { await scene.send() }
        #expect(await scene.send().head?.values(for: "a") == ["2"])
        #expect(scene.wire.requests.count == 2)
    }

    /// Section 4.3.5: a stored response without the validator of the response to HEAD may be an earlier version.
    @Test func aHEADWithAValidatorThatTheStoredResponseLacksDoesNotUpdateIt() async {
        let control = [("Cache-Control", "max-age=60")]
        let scene = scene(
            .response(200, control, "one"), .response(200, control + [("ETag", "\"2\"")]),
            .response(200, control, "two"))
        await scene.send()
        scene.advance(by: 61)
        await scene.send("HEAD")
        #expect(await scene.get() == "two")
    }

    /// Section 4.3.5: a response to HEAD with another length is not about the stored body, which had no length field.
    @Test(arguments: [("3", "one"), ("900", "two")])
    func aHEADOfAnotherLengthDoesNotUpdateAResponseWithoutALengthField(length: String, body: String) async {
        let scene = scene(
            .response(200, fresh, "one"), .response(200, fresh + [("Content-Length", length)]),
            .response(200, fresh, "two"))
        await scene.send()
        scene.advance(by: 61)
        await scene.send("HEAD")
        #expect(await scene.get() == body)
    }

    /// Section 4.3.5: after a successful response to HEAD, a stored error or redirect is outdated.
    @Test(arguments: [404, 410, 301]) func aHEADOfAResourceThatIsThereRemovesAStoredError(status: Int) async {
        let scene = scene(.response(status, fresh, "one"), .response(200, fresh), .response(200, fresh, "two"))
        await scene.send()
        scene.advance(by: 61)
        await scene.send("HEAD")
        #expect(await scene.get() == "two")
    }

    /// Section 4.3.4: a strong validator does not update a response that has a weak one.
    @Test func aStrongTagDoesNotReplaceTheWeakOneOfTheStoredResponse() {
        let fields = CacheRules.freshened(
            [HTTPField(name: "ETag", value: "W/\"1\"")],
            by: [HTTPField(name: "ETag", value: "\"1\""), HTTPField(name: "X-New", value: "yes")])
        #expect(fields.values(for: "etag") == ["W/\"1\""])
        #expect(fields.values(for: "x-new") == ["yes"])
    }

    /// The stored response is for every cookie, and the fields of the 304 may be about one user.
    @Test func a304ToACookieDoesNotChangeTheResponseOfAll() async {
        let scene = scene(
            .response(200, fresh, "one"), .response(304, fresh + [("X-User", "alice")]), .response(304, fresh))
        await scene.send()
        scene.advance(by: 61)
        let own = await scene.send(fields: [("Cookie", "sid=alice")])
        #expect(scene.text(own) == "one")
        #expect(own.head?.value(for: "x-user") == "alice")
        let other = await scene.send()
        #expect(scene.text(other) == "one")
        #expect(other.head?.value(for: "x-user") == nil)
    }

    /// Section 4.3.5: the fields of a response to HEAD update the stored response that it is about.
    @Test func headUpdatesTheFieldsOfAGET() async {
        let scene = scene(
            .response(200, fresh + [("A", "1")], "one"), .response(200, fresh + [("A", "2"), ("Content-Length", "3")]))
        await scene.send()
        scene.advance(by: 61)
        await scene.send("HEAD")
        #expect(await scene.send().head?.values(for: "a") == ["2"])
        #expect(scene.wire.requests.count == 2)
    }

    // MARK: 4.4, invalidation

    /// Section 4.4: a non-error response to an unsafe method invalidates its target, unknown methods included.
    @Test(arguments: ["POST", "PUT", "DELETE", "PATCH", "M-SEARCH"], [200, 204, 303])
    func anUnsafeMethodInvalidatesItsTarget(method: String, status: Int) async {
        let scene = scene(.response(200, fresh, "one"), .response(status), .response(200, fresh, "two"))
        await scene.send()
        await scene.send(method)
        #expect(await scene.get() == "two")
    }

    /// RFC 9110 section 4.2.3: the URLs are equivalent.
    @Test(arguments: [
        ("https://example.com/a", "HTTPS://EXAMPLE.com:443/a"), ("https://example.com", "https://example.com/"),
        ("http://example.com:80?b", "http://example.com/?b"),
    ])
    func anUnsafeMethodInvalidatesEquivalentURLs(stored: String, target: String) async {
        let scene = scene(.response(200, fresh, "one"), .response(204), .response(200, fresh, "two"))
        await scene.send("GET", stored)
        await scene.send("PUT", target)
        #expect(scene.text(await scene.send("GET", stored)) == "two")
    }

    @Test func anEquivalentURLIsAnswered() async {
        let scene = scene(.response(200, fresh, "one"), .response(200, fresh, "two"))
        await scene.send("GET", "https://example.com")
        #expect(scene.text(await scene.send("GET", "https://EXAMPLE.com:443/")) == "one")
    }

    /// Section 4.4: a safe method leaves the stored response of its target.
    @Test(arguments: ["HEAD", "OPTIONS", "QUERY", "TRACE"]) func aSafeMethodInvalidatesNothing(method: String) async {
        let scene = scene(.response(200, fresh, "one"), .response(200), .response(200, fresh, "two"))
        await scene.send()
        await scene.send(method)
        #expect(await scene.get() == "one")
    }

    /// The response to a QUERY depends on its body, which is no part of the key.
    @Test func aResponseToQUERYIsNotStored() async {
        let scene = scene(.response(200, fresh, "one"), .response(200, fresh, "two"))
        #expect(scene.text(await scene.send("QUERY")) == "one")
        #expect(scene.text(await scene.send("QUERY")) == "two")
    }

    /// Section 4.4: nothing of another origin is invalidated.
    @Test(arguments: ["Location", "Content-Location"]) func anotherOriginIsNotInvalidated(name: String) async {
        let scene = scene(
            .response(200, fresh, "one"), .response(201, [(name, "https://example.com/a")]),
            .response(200, fresh, "two"))
        await scene.send()
        await scene.send("POST", "https://evil.example/")
        #expect(await scene.get() == "one")
    }
}
