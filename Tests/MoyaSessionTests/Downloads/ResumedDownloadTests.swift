import Foundation
import MoyaTesting
import MoyaTransport
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A resumed download that is interrupted again.
@Suite struct ResumedDownloadTests {
    private static let url = "http://a.example/file"
    private static let date = "Tue, 15 Nov 1994 12:45:26 GMT"
    private static let rest = ("Content-Range", "bytes 5-9/10")

    private let transport = SteppedTransport()
    private let session: Session
    private let directory: TestDirectory
    private let target: URL

    init() throws {
        session = Session.over(transport)
        directory = try TestDirectory()
        target = directory.url.appendingPathComponent("file")
    }

    /// Resume data of a download that broke off after five of ten bytes.
    private func resumeData(_ fields: [(String, String)] = [("ETag", "\"v1\"")]) throws -> Data {
        let download = session.download(URLRequest.to(Self.url)).resume()
        transport.exchanges.last?.head(200, fields + [("Content-Length", "10")])
        transport.exchanges.last?.chunk("01234")
        transport.exchanges.last?.end(.truncated)
        return try #require(download.resumeData)
    }

    private func resumed(_ data: Data, over session: Session? = nil) -> DownloadRequest {
        (session ?? self.session).download(resumingWith: data) { [target] _, _ in (target, []) }.resume()
    }

    private func part(_ data: Data) throws -> String {
        try String(contentsOf: ResumeData(data).file, encoding: .utf8)
    }

    private func remove(_ data: Data) { try? ResumeData(data).removeFile() }

    // MARK: Resumed twice

    @Test func twoRequestsThatResumeTheSamePartDoNotMixTheirBytes() async throws {
        let data = try resumeData()
        defer { remove(data) }
        let (one, two) = (resumed(data), resumed(data))
        let (first, second) = (transport.exchanges[1], transport.exchanges[2])
        first.head(206, [Self.rest])
        second.head(206, [Self.rest])
        first.chunk("567")
        second.chunk("567")
        first.chunk("89")
        first.end()
        #expect(await one.answered().error == nil)
        #expect(try String(contentsOf: target, encoding: .utf8) == "0123456789")
        #expect(await two.answered().error?.localizedDescription.contains("another request") == true)
    }

    @Test func aPartThatWasCutWhileTheServerAnsweredIsNotContinued() async throws {
        let data = try resumeData()
        defer { remove(data) }
        let download = resumed(data)
        try Data("01".utf8).write(to: ResumeData(data).file)
        transport.exchanges.last?.respond(206, [Self.rest], "56789")
        #expect(await download.answered().error != nil)
        #expect(directory.names == [])
    }

    @Test func aWholeResponseLeavesThePartThatAnotherRequestContinues() async throws {
        let data = try resumeData()
        defer { remove(data) }
        let one = session.download(resumingWith: data).resume()
        let two = session.download(resumingWith: data).resume()
        transport.exchanges[1].head(206, [Self.rest])
        transport.exchanges[2].respond(200, [("ETag", "\"v2\"")], "whole")
        transport.exchanges[1].chunk("56789")
        transport.exchanges[1].end()
        let files = [await one.answered().fileURL, await two.answered().fileURL]
        #expect(try files.map { try String(contentsOf: #require($0), encoding: .utf8) } == ["0123456789", "whole"])
        for file in files.compactMap(\.self) { try FileManager.default.removeItem(at: file) }
    }

    @Test func aLateChunkOfACancelledRestIsNotPartOfTheNext() async throws {
        let data = try resumeData()
        defer { remove(data) }
        let transport = SteppedTransport(endsWhenCancelled: false)
        let session = Session.over(transport)
        let first = resumed(data, over: session)
        transport.exchanges[0].head(206, [Self.rest])
        first.cancel()
        let second = resumed(data, over: session)
        transport.exchanges[1].head(206, [Self.rest])
        transport.exchanges[0].chunk("XX")
        transport.exchanges[1].chunk("56789")
        transport.exchanges[1].end()
        let response = await second.answered()
        let text = try? String(contentsOf: target, encoding: .utf8)
        #expect(response.error != nil || text == "0123456789")
    }

    @Test func aFileWithoutADestinationIsLeftAloneByAnotherResumption() async throws {
        let data = try resumeData()
        func resume() -> DownloadRequest {
            let download = session.download(resumingWith: data).resume()
            transport.exchanges.last?.respond(206, [Self.rest], "56789")
            return download
        }
        let file = try #require(await resume().answered().fileURL)
        defer { try? FileManager.default.removeItem(at: file) }
        _ = await resume().answered()
        #expect(try String(contentsOf: file, encoding: .utf8) == "0123456789")
    }

    // MARK: Of another version

    private static let modified = ("Last-Modified", "Sun, 06 Nov 1994 08:49:37 GMT")
    private static let modifiedLater = ("Last-Modified", "Sun, 06 Nov 1994 08:49:38 GMT")

    @Test(arguments: [
        ([("ETag", "\"v1\"")], [("Content-Range", "bytes 5-10/11")]),
        ([("ETag", "\"v1\"")], [("Content-Range", "bytes 5-10/11"), ("ETag", "\"v1\"")]),
        ([("ETag", "\"v1\"")], [("Content-Range", "bytes 5-8/9")]),
        ([("ETag", "\"v1\""), modified], [("Content-Range", "bytes 5-9/10"), modifiedLater]),
    ])
    func aPartOfAnotherVersionIsNotJoined(first: [(String, String)], rest: [(String, String)]) async throws {
        let data = try resumeData(first)
        let download = resumed(data)
        transport.exchanges.last?.head(206, rest)
        #expect(await download.answered().error != nil)
        #expect(try !FileManager.default.fileExists(atPath: ResumeData(data).file.path))
    }

    // MARK: Interrupted by its deadline

    @Test func canBeResumedAfterItsDeadlineHasPassedWhileItReceives() async throws {
        // As over a network, a cancelled exchange ends later.
        let transport = SteppedTransport(endsWhenCancelled: false)
        let session = Session.over(transport)
        let queue = DispatchQueue(label: "handlers")
        let download = session.download(URLRequest.to(Self.url)).timeouts(Deadlines(total: .seconds(3_600)))
        let response = await handedOver { handOver in
            download.response(queue: queue, completionHandler: handOver).resume()
            transport.exchanges.last?.head(200, [("ETag", "\"v1\""), ("Content-Length", "10")])
            transport.exchanges.last?.chunk("01234")
            // The session's timer may be earlier than the transport's.
            download.expire(at: .max)
            queue.sync {}
            transport.exchanges.last?.end(.timeout(.total))
        }
        #expect(response.error?.transportFailure?.kind == .timeout(.total))
        let data = try #require(response.resumeData)
        #expect(try part(data) == "01234")
        remove(data)
    }

    @Test func endsAtItsDeadlineBeforeItReceives() async {
        let download = session.download(URLRequest.to(Self.url)).timeouts(Deadlines(total: .seconds(3_600))).resume()
        download.expire(at: .max)
        #expect(await download.answered().error?.transportFailure?.kind == .timeout(.total))
    }

    @Test func endsAsCancelledIfItsDeadlinePassesBeforeTheTransportEndsIt() async {
        let session = Session.over(SteppedTransport(endsWhenCancelled: false))
        let download = session.download(URLRequest.to(Self.url)).timeouts(Deadlines(total: .seconds(3_600))).resume()
        download.cancel(producingResumeData: true)
        download.expire(at: .max)
        #expect(await download.answered().error?.isExplicitlyCancelledError == true)
    }

    // MARK: Interrupted before the rest begins

    @Test func keepsItsResumeDataAfterAFailureBeforeTheHead() async throws {
        let data = try resumeData()
        defer { remove(data) }
        let download = resumed(data)
        transport.exchanges.last?.end(.reset)
        #expect(await download.answered().resumeData == data)
    }

    @Test func keepsItsResumeDataWhenPausedBeforeTheHead() throws {
        let data = try resumeData()
        defer { remove(data) }
        let given = Recorded<Data?>()
        resumed(data).cancel { given.add($0) }
        #expect(given.all == [data])
    }

    @Test func keepsItsResumeDataWhenPausedBeforeItsStart() throws {
        let data = try resumeData()
        defer { remove(data) }
        let given = Recorded<Data?>()
        session.download(resumingWith: data).cancel { given.add($0) }
        #expect(given.all == [data])
    }

    @Test func keepsItsResumeDataAfterAnErrorStatus() async throws {
        let data = try resumeData()
        defer { remove(data) }
        let download = resumed(data).validate()
        transport.exchanges.last?.respond(503, [], "sorry")
        #expect(await download.answered().resumeData == data)
    }

    @Test func keepsItsResumeDataWhenTheFileCannotBeMoved() async throws {
        let data = try resumeData()
        defer { remove(data) }
        _ = try directory.file("file", "old")
        let download = resumed(data)
        transport.exchanges.last?.respond(206, [Self.rest], "56789")
        #expect(await download.answered().resumeData == data)
    }

    @Test func hasNoResumeDataAfterAPlainCancel() throws {
        let data = try resumeData()
        defer { remove(data) }
        #expect(resumed(data).cancel().resumeData == nil)
    }

    @Test func hasNoResumeDataWhenAPlainCancelFollowsAPause() throws {
        let data = try resumeData()
        defer { remove(data) }
        let transport = SteppedTransport(endsWhenCancelled: false)
        let download = resumed(data, over: Session.over(transport))
        #expect(download.cancel(producingResumeData: true).cancel().resumeData == nil)
    }

    @Test func hasNoResumeDataWhenAPlainCancelFollowsAFailedAttempt() async throws {
        let hasFailed = DispatchSemaphore(value: 0)
        let session = Session.over(
            transport,
            interceptor: Intercepting(retry: { _, _, completion in
                completion(.retryWithDelay(3600))
                hasFailed.signal()
            }))
        let download = session.download(URLRequest.to("http://a.example/")).resume()
        let exchange = transport.exchanges[0]
        exchange.head(200, [("ETag", "\"1\""), ("Accept-Ranges", "bytes"), ("Content-Length", "10")])
        exchange.chunk("0123")
        exchange.end(.reset)
        hasFailed.wait()
        #expect(download.cancel().resumeData == nil)
    }

    @Test func hasItsResumeDataAfterAPartThatDoesNotContinueIt() async throws {
        let data = try resumeData()
        defer { remove(data) }
        let download = resumed(data)
        transport.exchanges.last?.respond(206, [("Content-Range", "bytes 4-9/10")], "456789")
        let response = await download.answered()
        #expect(response.error != nil)
        #expect(response.resumeData == data)
    }

    @Test func hasNoResumeDataAfterAPartOfAnotherVersion() async throws {
        let data = try resumeData()
        defer { remove(data) }
        let download = resumed(data)
        transport.exchanges.last?.respond(206, [Self.rest, ("ETag", "\"v2\"")], "56789")
        #expect(await download.answered().resumeData == nil)
    }

    @Test func hasNoResumeDataWhenComplete() async throws {
        let download = session.download(resumingWith: try resumeData())
        download.resume()
        transport.exchanges.last?.respond(206, [Self.rest], "56789")
        let response = await download.answered()
        #expect(response.resumeData == nil)
        try FileManager.default.removeItem(at: #require(response.fileURL))
    }

    @Test(arguments: [200, 206])
    func leavesItsPartAloneOnceItWasCancelled(status: Int) throws {
        let data = try resumeData()
        defer { remove(data) }
        let transport = SteppedTransport(endsWhenCancelled: false)
        resumed(data, over: Session.over(transport)).cancel()
        transport.exchanges[0].respond(status, status == 206 ? [Self.rest] : [], "56789")
        #expect(try part(data) == "01234")
    }

    // MARK: Interrupted within the rest

    @Test(arguments: [("Last-Modified", date), ("ETag", "\"v1\"")])
    func staysResumableAfterARestWithoutAValidator(validator: (String, String)) throws {
        let first = try resumeData([validator])
        defer { remove(first) }
        let download = resumed(first)
        transport.exchanges.last?.head(206, [Self.rest])
        transport.exchanges.last?.chunk("567")
        transport.exchanges.last?.end(.reset)
        let second = try ResumeData(#require(download.resumeData))
        #expect(second.length == 8 && second.validator == validator.1)
    }

    // MARK: A rest of another length than its range

    /// Without a stated length, the end of the connection is that of the body, and may come too early.
    @Test func isTruncatedByARestThatEndsBeforeItsRange() async throws {
        let download = resumed(try resumeData())
        transport.exchanges.last?.respond(206, [Self.rest], "567")
        let response = await download.answered()
        #expect(response.error?.transportFailure?.kind == .truncated)
        #expect(directory.names == [])
        let again = try #require(response.resumeData)
        defer { remove(again) }
        #expect(try ResumeData(again).length == 8)
    }

    @Test func refusesARestThatContinuesBeyondItsRange() async throws {
        let data = try resumeData()
        defer { remove(data) }
        let download = resumed(data)
        transport.exchanges.last?.respond(206, [Self.rest], "56789more")
        let response = await download.answered()
        #expect(response.error?.transportFailure?.kind == .protocolViolation)
        #expect(response.resumeData == data)
        #expect(directory.names == [])
    }

    // MARK: A file that another program changes

    @Test func aFileThatIsCutDuringTheDownloadIsNotDelivered() async throws {
        let data = try resumeData()
        defer { remove(data) }
        let download = resumed(data)
        transport.exchanges.last?.head(206, [Self.rest])
        try Data().write(to: ResumeData(data).file)
        transport.exchanges.last?.chunk("56789")
        transport.exchanges.last?.end()
        #expect(await download.answered().error?.localizedDescription.contains("Another program") == true)
        #expect(directory.names == [])
    }

    // MARK: A part in answer to a request of the whole

    @Test func refusesAPartAfterItsRangeWasRefused() async throws {
        let data = try resumeData()
        defer { remove(data) }
        let download = resumed(data)
        transport.exchanges.last?.respond(416, [], "no")
        transport.exchanges.last?.respond(206, [Self.rest], "56789")
        let response = await download.answered()
        #expect(response.error?.underlyingError as? ResumeDataError == .wrongRange(Self.rest.1))
        #expect(response.resumeData == data)
        #expect(directory.names == [])
    }

    @Test func refusesAPartWhenItsFirstPartIsGone() async throws {
        let data = try resumeData()
        remove(data)
        let download = resumed(data)
        transport.exchanges.last?.respond(206, [Self.rest], "56789")
        #expect(await download.answered().error?.underlyingError as? ResumeDataError == .wrongRange(Self.rest.1))
        #expect(directory.names == [])
    }

    @Test(arguments: [nil, "bytes=5-9"])
    func aPartAnswersOnlyARequestWithARange(range: String?) async throws {
        var request = URLRequest.to(Self.url)
        request.setValue(range, forHTTPHeaderField: "Range")
        let download = session.download(request) { [target] _, _ in (target, []) }.resume()
        transport.exchanges.last?.respond(206, [Self.rest], "56789")
        #expect((await download.answered().error == nil) == (range != nil))
        #expect(directory.names == (range == nil ? [] : ["file"]))
    }

    // MARK: Content codings

    @Test func refusesARestInAnUnknownCoding() async throws {
        let data = try resumeData()
        defer { remove(data) }
        let download = resumed(data)
        transport.exchanges.last?.respond(206, [Self.rest, ("Content-Encoding", "x-unknown")], "56789")
        #expect(await download.answered().error?.underlyingError is ResumeDataError)
        #expect(directory.names == [])
    }

    // MARK: Weak tags

    private static let weak = [("ETag", "W/\"v1\""), ("Last-Modified", date)]

    @Test func refusesARestWithAnotherWeakTagOfTheSameDate() async throws {
        let data = try resumeData(Self.weak)
        defer { remove(data) }
        let download = resumed(data)
        let fields = [Self.rest, ("ETag", "W/\"v2\""), ("Last-Modified", Self.date)]
        transport.exchanges.last?.respond(206, fields, "56789")
        #expect(await download.answered().error?.underlyingError is ResumeDataError)
        #expect(directory.names == [])
    }

    /// A server may call a tag weak as long as the resource is as new as its clock's second.
    @Test(arguments: ["W/\"v1\"", "\"v1\"", nil])
    func acceptsARestWithTheSameTag(tag: String?) async throws {
        let download = resumed(try resumeData(Self.weak))
        transport.exchanges.last?.respond(206, [Self.rest] + (tag.map { [("ETag", $0)] } ?? []), "56789")
        #expect(await download.answered().error == nil)
        #expect(try String(contentsOf: target, encoding: .utf8) == "0123456789")
    }

    @Test func remembersAWeakTagOverARestWithoutOne() throws {
        let first = try resumeData(Self.weak)
        defer { remove(first) }
        let download = resumed(first)
        transport.exchanges.last?.head(206, [Self.rest])
        transport.exchanges.last?.chunk("567")
        transport.exchanges.last?.end(.reset)
        let again = resumed(try #require(download.resumeData))
        transport.exchanges.last?.respond(206, [("Content-Range", "bytes 8-9/10"), ("ETag", "W/\"v2\"")], "89")
        #expect(again.error?.underlyingError is ResumeDataError)
    }
}
