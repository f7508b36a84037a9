import Foundation
import MoyaTransport
import Testing

@testable import MoyaSession

/// Each MUST of section 3 of RFC 9111, in its order: storing responses.
///
/// Requirements only for shared caches (3.5, `private`, `s-maxage`) are in ``RFC9111Section5Tests``, since a private
/// cache ignores them.
@Suite struct RFC9111Section3Tests {
    private let fresh = [("Cache-Control", "max-age=60"), ("ETag", "\"1\"")]

    /// `true` if a second request is answered with the response to the first.
    private func isStored(
        _ fields: [(String, String)], status: Int = 200, asking: [(String, String)] = []
    ) async -> Bool {
        let scene = CacheScene(StubbedTransport(.response(status, fields, "one")))
        for _ in 0..<2 { await scene.send(fields: asking) }
        return scene.wire.requests.count == 1
    }

    private func part(_ range: String, _ body: String, _ fields: [(String, String)] = []) -> StubbedTransport.Answer {
        .response(206, fresh + fields + [("Content-Range", range)], body)
    }

    // MARK: 3, a response must not be stored unless …

    /// Section 3: … the request method is understood by the cache.
    @Test(arguments: ["POST", "PUT", "DELETE", "OPTIONS", "TRACE", "M-SEARCH"])
    func aResponseToAMethodThatIsNotUnderstoodIsNotStored(method: String) async {
        let scene = CacheScene(StubbedTransport(.response(200, fresh, "one")))
        await scene.send(method)
        #expect(scene.cache.size == 0)
    }

    /// Section 3: … the response status code is final.
    @Test(arguments: [100, 101, 102, 103]) func anInterimResponseIsNotStored(status: Int) {
        #expect(!CacheRules.mayStore(status: status, [HTTPField](fresh), for: .of()))
    }

    /// RFC 9110 section 15.5.13: a 412 answers the conditions of its request alone.
    @Test func aFailedPreconditionIsNotStored() async {
        let scene = CacheScene(
            StubbedTransport(.response(200, fresh, "one"), .response(412, [("Cache-Control", "max-age=60")], "no")))
        await scene.send()
        await scene.send(fields: [("If-Match", "\"0\"")])
        #expect(await scene.get() == "one")
    }

    /// Section 3: … with a 206, a 304 or `must-understand`, the cache understands the status code.
    @Test(arguments: [299, 499, 599]) func mustUnderstandForbidsStoringAnUnknownStatus(status: Int) async {
        #expect(await !isStored([("Cache-Control", "max-age=60, must-understand")], status: status))
    }

    /// Section 3: … the `no-store` directive is not present in the response.
    @Test func aResponseWithNoStoreIsNotStored() async {
        #expect(await !isStored([("Cache-Control", "max-age=60, no-store")]))
    }

    /// Section 3: … the response has a word about caching, or a status that is cacheable without one.
    @Test(
        arguments: [
            (201, [], false), (201, [("Cache-Control", "public")], true), (201, [("Cache-Control", "private")], true),
            (201, [("Expires", "0")], true), (201, [("Cache-Control", "max-age=0")], true), (200, [], true),
            (404, [], true), (500, [], false), (201, [("Cache-Control", "s-maxage=60")], false),
        ] as [(Int, [(String, String)], Bool)])
    func aResponseIsStoredWithAReasonOnly(status: Int, fields: [(String, String)], isStored: Bool) async {
        let scene = CacheScene(StubbedTransport(.response(status, fields, "one")))
        await scene.send()
        #expect((scene.cache.size > 0) == isStored)
    }

    // MARK: 3.1, fields

    /// Section 3.1: all received fields are stored, unrecognized ones included.
    @Test func unknownFieldsAreStored() async {
        let scene = CacheScene(StubbedTransport(.response(200, fresh + [("X-New", "1"), ("x-new", "2")], "one")))
        await scene.send()
        #expect(await scene.send().head?.values(for: "x-new") == ["1", "2"])
    }

    /// Section 3.1, a departure that SECURITY.md promises: cookies are for the client that they were set for.
    @Test func cookiesAreNotStored() async {
        let scene = CacheScene(StubbedTransport(.response(200, fresh + [("Set-Cookie", "a=b")], "one")))
        await scene.send()
        #expect(await scene.send().head?.value(for: "set-cookie") == nil)
    }

    /// Section 3.1: fields of the proxy are not stored.
    @Test(arguments: ["Proxy-Authenticate", "Proxy-Authentication-Info", "Proxy-Authorization"])
    func fieldsOfTheProxyAreNotStored(name: String) async {
        let scene = CacheScene(StubbedTransport(.response(200, fresh + [(name, "Basic")], "one")))
        await scene.send()
        #expect(await scene.send().head?.values(for: name.lowercased()) == [])
    }

    /// Section 3.1: trailer fields are not combined with header fields.
    @Test func trailersAreNoFieldsOfAStoredResponse() async {
        let scene = CacheScene(
            StubbedTransport(.response(200, fresh, "one", trailers: [("X-Sum", "1"), ("ETag", "\"2\"")])))
        await scene.send()
        let second = await scene.send()
        #expect(second.head?.value(for: "x-sum") == nil)
        #expect(second.head?.values(for: "etag") == ["\"1\""])
    }

    // MARK: 3.2, updates

    /// Section 3.2: each field of the newer response is added, in place of those of its name.
    @Test func anUpdateReplacesFieldsOfTheSameName() async {
        let scene = CacheScene(
            StubbedTransport(
                .response(200, fresh + [("A", "1"), ("A", "2"), ("B", "1")], "one"),
                .response(304, fresh + [("a", "3"), ("C", "4")])))
        await scene.send()
        scene.advance(by: 61)
        await scene.send()
        let third = await scene.send()
        #expect(["a", "b", "c"].map { third.head?.values(for: $0) } == [["3"], ["1"], ["4"]])
    }

    /// Section 3.2: fields that are not stored, those of the connection and `Content-Length` are excepted.
    @Test(arguments: [
        ("Content-Length", "99"), ("Connection", "x-other"), ("X-Other", "1"), ("Set-Cookie", "a=b"),
        ("Proxy-Authenticate", "Basic"), ("Content-Encoding", "gzip"), ("Content-Type", "text/other"),
        ("Content-Range", "bytes 0-0/9"),
    ])
    func anUpdateKeepsExceptedFields(name: String, value: String) async {
        let scene = CacheScene(
            StubbedTransport(
                .response(200, fresh + [("Content-Length", "3"), ("Content-Type", "text/plain")], "one"),
                .response(304, fresh + [("Connection", "x-other"), (name, value)])))
        await scene.send()
        scene.advance(by: 61)
        await scene.send()
        #expect(await scene.send().head?.values(for: name.lowercased()).contains(value) == false)
        #expect(scene.wire.requests.count == 2)
    }

    // MARK: 3.3 and 3.4, parts

    /// Section 3.3: a part in units that are not understood is not stored.
    @Test(arguments: ["lines 0-1/9", "bytes 0-1/*", "bytes */9", "nonsense"])
    func aPartInOtherUnitsIsNotStored(range: String) async {
        let scene = CacheScene(StubbedTransport(part(range, "01")))
        for _ in 0..<2 { await scene.send(fields: [("Range", "bytes=0-1")]) }
        #expect(scene.wire.requests.count == 2)
    }

    /// Section 3.3: an incomplete response answers no request for the whole.
    @Test func anIncompleteResponseIsNotUsed() async {
        let scene = CacheScene(
            StubbedTransport(.cut(200, fresh + [("Content-Length", "6")], "one"), .response(200, fresh, "onetwo")))
        #expect(await scene.send().error != nil)
        #expect(await scene.get() == "onetwo")
    }

    /// Section 3.3: a part answers only a request for a range within it.
    @Test(arguments: ["bytes=3-5", "bytes=5-9", "bytes=0-", "bytes=-1"])
    func aPartIsNotUsedForBytesBeyondIt(range: String) async {
        let scene = CacheScene(StubbedTransport(part("bytes 4-8/10", "45678"), .response(200, [], "all")))
        await scene.send(fields: [("Range", "bytes=4-8")])
        #expect(await scene.get([("Range", range)]) == "all")
    }

    /// Section 3.3: a partial response is marked by the status 206.
    @Test(arguments: [true, false]) func aPartIsA206(isOfPart: Bool) async {
        let scene = CacheScene(
            StubbedTransport(isOfPart ? part("bytes 0-4/10", "01234") : .response(200, fresh, "0123456789")))
        await scene.send(fields: isOfPart ? [("Range", "bytes=0-4")] : [])
        let second = await scene.send(fields: [("Range", "bytes=1-2")])
        #expect(scene.wire.requests.count == 1)
        #expect(second.head?.status == 206)
        #expect(second.head?.value(for: "content-range") == "bytes 1-2/10")
    }

    /// Section 3.4: responses that are combined have the fields of the newer one.
    @Test(arguments: [true, false]) func combinedPartsHaveTheNewerFields(asksForWhole: Bool) async {
        let scene = CacheScene(
            StubbedTransport(
                part("bytes 0-3/10", "0123", [("A", "old"), ("B", "old")]),
                part("bytes 4-9/10", "456789", [("A", "new")])))
        await scene.send(fields: [("Range", "bytes=0-3")])
        await scene.send(fields: asksForWhole ? [] : [("Range", "bytes=4-9")])
        let whole = await scene.send()
        #expect(scene.wire.requests.count == 2)
        #expect(scene.text(whole) == "0123456789")
        #expect(["a", "b"].map { whole.head?.values(for: $0) } == [["new"], ["old"]])
    }

    /// Section 3.4: parts are combined only by the same strong validator.
    @Test(arguments: ["\"2\"", "W/\"1\""]) func partsOfOtherVersionsAreNotCombined(tag: String) async {
        let other = StubbedTransport.Answer.response(
            206, [("Cache-Control", "max-age=60"), ("ETag", tag), ("Content-Range", "bytes 4-9/10")], "456789")
        let scene = CacheScene(
            StubbedTransport(part("bytes 0-3/10", "0123"), other, .response(200, fresh, "abcdefghij")))
        await scene.send(fields: [("Range", "bytes=0-3")])
        await scene.send(fields: [("Range", "bytes=4-9")])
        #expect(await scene.get() == "abcdefghij")
    }

    // MARK: 3.5, credentials

    /// Section 3.5, for a private cache: one credential's response is not another's.
    @Test(arguments: [nil, "Basic b"]) func aResponseToACredentialIsUsedForItOnly(other: String?) async {
        let scene = CacheScene(
            StubbedTransport(.response(200, fresh, "one"), .response(200, fresh, "two")))
        await scene.send(fields: [("Authorization", "Basic a")])
        #expect(await scene.get(other.map { [("Authorization", $0)] } ?? []) == "two")
    }
}
