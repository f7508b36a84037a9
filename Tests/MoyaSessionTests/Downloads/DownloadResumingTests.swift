import Foundation
import MoyaTesting
import MoyaTransport
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Breaking a download off and going on with it.
@Suite struct DownloadResumingTests {
    private static let url = "http://a.example/file"
    private static let tagged = [("ETag", "\"v1\""), ("Content-Length", "10")]
    private let transport = SteppedTransport()

    private func begun(_ session: Session, _ status: Int = 200, _ fields: [(String, String)] = Self.tagged)
        -> DownloadRequest
    {
        let download = session.download(URLRequest.to(Self.url)).resume()
        transport.exchanges.last?.head(status, fields)
        transport.exchanges.last?.chunk("01234")
        return download
    }

    /// Resume data of a download that broke off half-way.
    private func resumeData(_ session: Session, _ fields: [(String, String)] = Self.tagged) throws -> Data {
        let download = begun(session, 200, fields)
        transport.exchanges.last?.end(.truncated)
        return try #require(download.resumeData)
    }

    private func field(_ name: String, of exchange: SteppedTransport.Exchange?) -> String? {
        exchange?.request.fields.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    private func going(on session: Session, with data: Data, to target: URL) -> DownloadRequest {
        session.download(resumingWith: data) { _, _ in (target, [.removePreviousFile]) }.resume()
    }

    @Test func aCredentialStaysWithItsOriginInTheRestToo() throws {
        let session = Session.over(transport)
        var request = URLRequest.to(Self.url)
        request.setValue("secret", forHTTPHeaderField: "X-Login")
        let download = session.download(request)
        download.keepFieldsAtOrigin(["x-login"])
        download.resume()
        transport.exchanges[0].head(200, Self.tagged)
        transport.exchanges[0].chunk("01234")
        transport.exchanges[0].end(.truncated)
        let data = try #require(download.resumeData)
        let rest = session.download(resumingWith: data).resume()
        #expect(field("X-Login", of: transport.exchanges[1]) == "secret")
        transport.exchanges[1].head(302, [("Location", "http://b.example/file")])
        transport.exchanges[1].end()
        #expect(transport.exchanges.count == 3)
        #expect(field("X-Login", of: transport.exchanges.last) == nil)
        rest.cancel()
        try ResumeData(data).removeFile()
    }

    // MARK: When there is something to go on with

    @Test func aPlainCancelMakesNoResumeData() async {
        let session = Session.over(transport)
        let download = begun(session)
        download.cancel()
        #expect(await download.answered().resumeData == nil)
        #expect(download.resumeData == nil)
    }

    @Test func cancelWithoutResumeDataMakesNone() async {
        let session = Session.over(transport)
        let download = begun(session).cancel(producingResumeData: false)
        #expect(await download.answered().resumeData == nil)
        #expect(download.resumeData == nil)
    }

    @Test func cancelProducingResumeDataMakesResumeData() async throws {
        let session = Session.over(transport)
        let download = begun(session).cancel(producingResumeData: true)
        let response = await download.answered()
        #expect(response.error?.isExplicitlyCancelledError == true)
        #expect(download.isCancelled)
        let data = try #require(response.resumeData)
        #expect(download.resumeData == data)
        try ResumeData(data).removeFile()
    }

    @Test func theClosureAndThePropertyAgree() async throws {
        let session = Session.over(transport)
        let download = begun(session)
        let calls = Recorded<Data?>()
        download.cancel { calls.add($0) }
        _ = await download.outcome()
        #expect(calls.count == 1)
        let data = try #require(calls.all[0])
        #expect(data == download.resumeData)
        try ResumeData(data).removeFile()
    }

    @Test func aCancelBeforeTheStartMakesNoResumeData() async {
        let session = Session.over(transport)
        let download = session.download(URLRequest.to(Self.url))
        let calls = Recorded<Data?>()
        download.cancel { calls.add($0) }
        #expect(calls.all == [nil])
        #expect(download.isCancelled)
        #expect(await download.outcome().error?.isExplicitlyCancelledError == true)
    }

    @Test func aFailureWithinTheBodyMakesResumeData() async throws {
        let server = try await LoopbackServer { exchange in
            try await exchange.send(head: 200, ["Content-Length": "10", "ETag": "\"v1\""])
            try await exchange.send("01234")
            exchange.close()
        }
        let session = Session.onTheWire()
        let response = await session.download(URLRequest(url: server.url)).answered()
        #expect(response.error != nil)
        let data = try ResumeData(#require(response.resumeData))
        #expect(data.length == 5 && data.validator == "\"v1\"")
        data.removeFile()
    }

    private static let hopeless: [(Int, [(String, String)])] = [
        (200, [("ETag", "W/\"v1\"")]), (200, [("ETag", "\"")]), (200, []),
        (200, [("ETag", "\"v1\""), ("Accept-Ranges", "none")]),
        (404, [("ETag", "\"v1\"")]), (200, [("ETag", "\"v1\""), ("Content-Encoding", "gzip")]),
    ]

    @Test(arguments: hopeless)
    func unresumableDownloadHasNoResumeData(status: Int, fields: [(String, String)]) async {
        let session = Session.over(transport)
        let download = begun(session, status, fields)
        transport.exchanges.last?.end(.truncated)
        #expect(await download.answered().resumeData == nil)
    }

    @Test func partRequestedByTheCallerMakesNoResumeData() {
        var urlRequest = URLRequest.to(Self.url)
        urlRequest.setValue("bytes=100-", forHTTPHeaderField: "Range")
        let session = Session.over(transport)
        let download = session.download(urlRequest).resume()
        transport.exchanges[0].head(206, Self.tagged + [("Content-Range", "bytes 100-109/200")])
        transport.exchanges[0].chunk("01234")
        transport.exchanges[0].end(.truncated)
        // Its bytes are not the first of the resource.
        #expect(download.resumeData == nil)
    }

    // MARK: Going on

    @Test func theRestIsAppendedByteForByte() async throws {
        let whole = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 7 >> 3) })
        let server = try await LoopbackServer { exchange in
            guard let range = exchange.request.fields["Range"] else {
                try await exchange.send(head: 200, ["Content-Length": "200000", "ETag": "\"v1\""])
                try await exchange.send(whole.prefix(123_457))
                return exchange.close()
            }
            #expect(exchange.request.fields["If-Range"] == "\"v1\"")
            let first = try #require(Int(range.dropFirst("bytes=".count).dropLast()))
            try await exchange.respond(
                206, ["Content-Range": "bytes \(first)-199999/200000", "ETag": "\"v1\""], body: whole.dropFirst(first))
        }
        let directory = try TestDirectory()
        let target = directory.url.appendingPathComponent("file")
        let session = Session.onTheWire()
        let data = try #require(await session.download(URLRequest(url: server.url)).answered().resumeData)
        let counts = Recorded<(Int64, Int64)>()
        let queue = DispatchQueue(label: "org.moya.tests.progress")
        let download = session.download(resumingWith: data) { _, _ in (target, []) }
        download.downloadProgress(queue: queue) { counts.add(($0.completedUnitCount, $0.totalUnitCount)) }
        let response = await download.validate().answered()
        queue.sync {}
        #expect(response.error == nil && response.response?.statusCode == 206)
        #expect(try Data(contentsOf: target) == whole)
        #expect(counts.all.allSatisfy { $0.0 > 123_457 && $0.1 == 200_000 })
        #expect(counts.all.last?.0 == 200_000)
    }

    @Test func requestsTheRestOfTheSameResource() throws {
        let session = Session.over(transport)
        let data = try resumeData(session)
        going(on: session, with: data, to: URL(fileURLWithPath: "/nowhere")).cancel()
        #expect(field("Range", of: transport.exchanges.last) == "bytes=5-")
        #expect(field("If-Range", of: transport.exchanges.last) == "\"v1\"")
        #expect(field("Accept-Encoding", of: transport.exchanges.last) == "identity")
        #expect(transport.exchanges.last?.request.url == Self.url)
        try ResumeData(data).removeFile()
    }

    @Test func aDateIsTheValidatorWhereThereIsNoStrongTag() throws {
        let session = Session.over(transport)
        let date = "Tue, 15 Nov 1994 12:45:26 GMT"
        let data = try resumeData(session, [("ETag", "W/\"v1\""), ("Last-Modified", date)])
        going(on: session, with: data, to: URL(fileURLWithPath: "/nowhere")).cancel()
        #expect(field("If-Range", of: transport.exchanges.last) == date)
        try ResumeData(data).removeFile()
    }

    @Test func aChangedResourceStartsOver() async throws {
        let directory = try TestDirectory()
        let target = directory.url.appendingPathComponent("file")
        let session = Session.over(transport)
        let data = try resumeData(session)
        let download = going(on: session, with: data, to: target)
        transport.exchanges.last?.respond(200, [("ETag", "\"v2\"")], "changed")
        #expect(await download.answered().error == nil)
        #expect(try String(contentsOf: target, encoding: .utf8) == "changed")
        #expect(try !ResumeData(data).isFileThere)
    }

    @Test func anUnavailablePartStartsOver() async throws {
        let directory = try TestDirectory()
        let target = directory.url.appendingPathComponent("file")
        let session = Session.over(transport)
        let download = going(on: session, with: try resumeData(session), to: target)
        transport.exchanges.last?.respond(416, [("Content-Range", "bytes */3")], "no")
        #expect(field("Range", of: transport.exchanges.last) == nil)
        #expect(field("If-Range", of: transport.exchanges.last) == nil)
        transport.exchanges.last?.respond(200, [], "new")
        #expect(await download.answered().error == nil)
        #expect(try String(contentsOf: target, encoding: .utf8) == "new")
    }

    @Test(arguments: [
        "bytes 4-9/10", "bytes 6-9/10", "bytes 0-9/10", "bytes */10", "items 5-9/10", "bytes", "", "bytes x-9/10",
        "bytes 5-7/10", "bytes 5-4/10", "bytes -5-9/10", "bytes 5",
        "bytes 5-9223372036854775807/9223372036854775807",
    ])
    func unrequestedPartIsADescribedError(range: String) async throws {
        let directory = try TestDirectory()
        let target = directory.url.appendingPathComponent("file")
        let session = Session.over(transport)
        let data = try resumeData(session)
        let download = going(on: session, with: data, to: target)
        transport.exchanges.last?.respond(206, range.isEmpty ? [] : [("Content-Range", range)], "56789")
        let response = await download.answered()
        #expect(response.error?.underlyingError as? ResumeDataError == .wrongRange(range))
        #expect(response.error?.localizedDescription.contains("download anew") == true)
        #expect(directory.names == [])
        // The earlier data is still valid.
        let resumed = try ResumeData(data)
        #expect(try String(contentsOf: resumed.file, encoding: .utf8).hasPrefix("01234"))
        resumed.removeFile()
    }

    @Test(arguments: ["bytes 5-9/10", "bytes 5-9/*", "Bytes 5-9/10"])
    func acceptsTheRequestedRest(range: String) async throws {
        let directory = try TestDirectory()
        let target = directory.url.appendingPathComponent("file")
        let session = Session.over(transport)
        let download = going(on: session, with: try resumeData(session), to: target)
        transport.exchanges.last?.respond(206, [("Content-Range", range), ("ETag", "\"v1\"")], "56789")
        #expect(await download.answered().error == nil)
        #expect(try String(contentsOf: target, encoding: .utf8) == "0123456789")
    }

    @Test func aPartOfAnotherVersionIsADescribedError() async throws {
        let directory = try TestDirectory()
        let target = directory.url.appendingPathComponent("file")
        let session = Session.over(transport)
        let data = try resumeData(session)
        let download = going(on: session, with: data, to: target)
        // A server that knows Range and not If-Range.
        transport.exchanges.last?.respond(206, [("Content-Range", "bytes 5-9/10"), ("ETag", "\"v2\"")], "56789")
        #expect(await download.answered().error?.underlyingError is ResumeDataError)
        #expect(directory.names == [])
        #expect(try !ResumeData(data).isFileThere)
    }

    @Test(arguments: [202, 204, 205]) func aStatusWithoutTheResourceLeavesTheFirstPart(status: Int) async throws {
        let directory = try TestDirectory()
        let session = Session.over(transport)
        let data = try resumeData(session)
        let download = session.download(resumingWith: data) { _, _ in
            (directory.url.appendingPathComponent("file"), [])
        }
        .validate(statusCode: 200..<202).resume()
        transport.exchanges.last?.respond(status, [], "")
        #expect(await download.answered().error != nil)
        let resumed = try ResumeData(data)
        #expect(resumed.isFileThere)
        resumed.removeFile()
    }

    @Test func aRestThatEndsBeforeTheKnownEndIsADescribedError() async throws {
        let directory = try TestDirectory()
        let session = Session.over(transport)
        let data = try resumeData(session)
        let download = going(on: session, with: data, to: directory.url.appendingPathComponent("file"))
        transport.exchanges.last?.respond(206, [("Content-Range", "bytes 5-7/*"), ("ETag", "\"v1\"")], "567")
        #expect(await download.answered().error?.underlyingError is ResumeDataError)
        #expect(directory.names == [])
        try ResumeData(data).removeFile()
    }

    @Test func theSettingsOfTheRequestApplyToTheRest() throws {
        let session = Session.over(transport)
        var request = URLRequest.to(Self.url)
        request.timeoutInterval = 3
        request.httpShouldHandleCookies = false
        request.allowsCellularAccess = false
        request.cachePolicy = .reloadIgnoringLocalCacheData
        let download = session.download(request).resume()
        transport.exchanges[0].head(200, Self.tagged)
        transport.exchanges[0].chunk("01234")
        transport.exchanges[0].end(.truncated)
        let data = try #require(download.resumeData)
        let rest = session.download(resumingWith: data).resume()
        let sent = try #require(rest.lastRequest)
        #expect(sent.timeoutInterval == 3)
        #expect(!sent.httpShouldHandleCookies && !sent.allowsCellularAccess)
        #expect(sent.cachePolicy == .reloadIgnoringLocalCacheData)
        rest.cancel()
        try ResumeData(data).removeFile()
    }

    @Test(arguments: [Int64.max, .max - 1, .max - 5] as [Int64])
    func aRestOfAnyStatedLengthIsReceived(length: Int64) async throws {
        let directory = try TestDirectory()
        let session = Session.over(transport)
        let download = going(
            on: session, with: try resumeData(session), to: directory.url.appendingPathComponent("file"))
        let range = [("Content-Range", "bytes 5-9/10"), ("ETag", "\"v1\""), ("Content-Length", "\(length)")]
        transport.exchanges.last?.respond(206, range, "56789")
        #expect(await download.answered().error == nil)
    }

    @Test func aDownloadMayBeInterruptedRepeatedly() async throws {
        let directory = try TestDirectory()
        let target = directory.url.appendingPathComponent("file")
        let session = Session.over(transport)
        let second = going(on: session, with: try resumeData(session), to: target)
        transport.exchanges.last?.head(206, [("Content-Range", "bytes 5-9/10"), ("ETag", "\"v1\"")])
        transport.exchanges.last?.chunk("567")
        transport.exchanges.last?.end(.reset)
        let third = going(on: session, with: try #require(second.resumeData), to: target)
        #expect(field("Range", of: transport.exchanges.last) == "bytes=8-")
        transport.exchanges.last?.respond(206, [("Content-Range", "bytes 8-9/10")], "89")
        #expect(await third.answered().error == nil)
        #expect(try String(contentsOf: target, encoding: .utf8) == "0123456789")
    }

    @Test func aRetryOfTheRestBeginsWhereTheRestBegan() async throws {
        let directory = try TestDirectory()
        let target = directory.url.appendingPathComponent("file")
        let session = Session.over(transport, interceptor: Intercepting.retrying(1))
        let plain = Session.over(transport)
        let download = going(on: session, with: try resumeData(plain), to: target)
        transport.exchanges.last?.head(206, [("Content-Range", "bytes 5-9/10")])
        transport.exchanges.last?.chunk("567")
        transport.exchanges.last?.end(.reset)
        #expect(field("Range", of: transport.exchanges.last) == "bytes=5-")
        transport.exchanges.last?.respond(206, [("Content-Range", "bytes 5-9/10")], "56789")
        #expect(await download.answered().error == nil)
        #expect(try String(contentsOf: target, encoding: .utf8) == "0123456789")
    }

    // MARK: What became of the first part

    @Test func aFirstPartThatIsGoneStartsOver() async throws {
        let directory = try TestDirectory()
        let target = directory.url.appendingPathComponent("file")
        let session = Session.over(transport)
        let data = try resumeData(session)
        try ResumeData(data).removeFile()
        let download = going(on: session, with: data, to: target)
        #expect(field("Range", of: transport.exchanges.last) == nil)
        transport.exchanges.last?.respond(200, [], "0123456789")
        #expect(await download.answered().error == nil)
        #expect(try String(contentsOf: target, encoding: .utf8) == "0123456789")
    }

    @Test func aFirstPartThatIsShorterStartsOver() async throws {
        let session = Session.over(transport)
        let data = try resumeData(session)
        let file = try ResumeData(data).file
        try Data("0123".utf8).write(to: file)
        going(on: session, with: data, to: URL(fileURLWithPath: "/nowhere")).cancel()
        #expect(field("Range", of: transport.exchanges.last) == nil)
        try FileManager.default.removeItem(at: file)
    }

    @Test func aFirstPartThatIsLongerIsCut() async throws {
        let directory = try TestDirectory()
        let target = directory.url.appendingPathComponent("file")
        let session = Session.over(transport)
        let data = try resumeData(session)
        try Data("01234xyz".utf8).write(to: try ResumeData(data).file)
        let download = going(on: session, with: data, to: target)
        transport.exchanges.last?.respond(206, [("Content-Range", "bytes 5-9/10")], "56789")
        #expect(await download.answered().error == nil)
        #expect(try String(contentsOf: target, encoding: .utf8) == "0123456789")
    }
}
