import Dispatch
import Foundation
import MoyaTesting
import MoyaTransport
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A download that is cancelled between the end of its exchange and its own end.
@Suite struct DownloadCancellationTests {
    private static let url = "http://a.example/"
    // Delivers where code must not block, so that work after an exchange waits for the root queue.
    private let transport = SteppedTransport(deliversWhereCodeMayBlock: false)
    private let directory: TestDirectory
    private let target: URL

    init() throws {
        directory = try TestDirectory()
        target = directory.url.appendingPathComponent("file")
    }

    @Test func leavesTheFileAloneWhenCancelledBeforeTheDestinationIsChosen() async {
        let session = Session.over(transport)
        let asked = Recorded<Void>()
        let download = session.download(URLRequest.to(Self.url)) { [target] _, _ in
            asked.add(())
            return (target, [])
        }.resume()
        let held = DispatchSemaphore(value: 0)
        session.rootQueue.async { held.wait() }
        transport.exchanges[0].respond(200, [], "hello")
        download.cancel()
        held.signal()
        session.rootQueue.sync {}
        #expect(asked.count == 0)
        #expect(directory.names == [])
        #expect(download.fileURL == nil)
        #expect(download.error?.isExplicitlyCancelledError == true)
    }

    @Test func isCancelledWhenItsResumeDataIsWantedAfterTheLastByte() {
        let session = Session.over(transport)
        let heard = Recorded<String>()
        let download = session.download(URLRequest.to(Self.url)) { [target] _, _ in
            heard.add("destination")
            return (target, [])
        }.validate { _, _, _ in
            heard.add("validation")
            return .success(())
        }.resume()
        let held = DispatchSemaphore(value: 0)
        session.rootQueue.async { held.wait() }
        transport.exchanges[0].respond(200, [], "hello")
        download.cancel(producingResumeData: true)
        held.signal()
        session.rootQueue.sync {}
        #expect(heard.all == [])
        #expect(download.fileURL == nil)
        #expect(download.error?.isExplicitlyCancelledError == true)
    }

    @Test func movesNothingWhenItsDestinationCancels() async {
        let session = Session.over(transport)
        let begun = Recorded<DownloadRequest>()
        let download = session.download(URLRequest.to(Self.url)) { [target] _, _ in
            begun.all[0].cancel()
            return (target, [])
        }
        begun.add(download)
        download.resume()
        transport.exchanges[0].respond(200, [], "hello")
        #expect(await download.outcome().error?.isExplicitlyCancelledError == true)
        #expect(directory.names == [])
        #expect(download.fileURL == nil)
    }

    @Test func isCancelledWhenItsDestinationWantsTheResumeData() async {
        let session = Session.over(transport)
        let begun = Recorded<DownloadRequest>()
        let download = session.download(URLRequest.to(Self.url)) { [target] _, _ in
            begun.all[0].cancel(producingResumeData: true)
            return (target, [])
        }
        begun.add(download)
        download.resume()
        transport.exchanges[0].respond(200, [], "hello")
        #expect(await download.outcome().error?.isExplicitlyCancelledError == true)
        #expect(download.fileURL == nil)
    }

    @Test func endsAfterTheMoveWhenCancelledMeanwhile() async throws {
        let session = Session.over(transport)
        let isMoving = DispatchSemaphore(value: 0)
        let goesOn = DispatchSemaphore(value: 0)
        let download = session.download(URLRequest.to(Self.url)) { [target] _, _ in
            isMoving.signal()
            goesOn.wait()
            return (target, [])
        }.resume()
        let filesAtTheEnd = Recorded<[String]>()
        download.onFinish { [directory] _ in filesAtTheEnd.add(directory.names) }
        transport.exchanges[0].respond(200, [], "hello")
        isMoving.wait()
        download.cancel()
        #expect(filesAtTheEnd.count == 0)
        goesOn.signal()
        let outcome = await download.outcome()
        session.rootQueue.sync {}
        #expect(outcome.error?.isExplicitlyCancelledError == true)
        #expect(filesAtTheEnd.all == [directory.names])
        #expect(outcome.fileURL == download.fileURL)
    }

    @Test func runsNoValidationAfterItsEnd() async {
        let session = Session.over(transport)
        let validated = Recorded<Int>()
        let request = session.request(URLRequest.to(Self.url))
        request.validate { _, _, _ in
            validated.add(1)
            request.cancel()
            return .success(())
        }.validate { _, _, _ in
            validated.add(2)
            return .success(())
        }
        request.resume()
        transport.exchanges[0].respond()
        #expect(await request.outcome().error?.isExplicitlyCancelledError == true)
        session.rootQueue.sync {}
        #expect(validated.all == [1])
    }

    @Test func keepsThePartForConcurrentCallers() async throws {
        let session = Session.over(transport)
        let download = session.download(URLRequest.to(Self.url)).resume()
        transport.exchanges[0].head(200, [("ETag", "\"1\""), ("Content-Length", "10")])
        transport.exchanges[0].chunk("hello")
        transport.exchanges[0].end(.reset)
        _ = await download.outcome()
        DispatchQueue.concurrentPerform(iterations: 64) { _ in _ = download.resumeData }
        let file = try ResumeData(#require(download.resumeData)).file
        #expect(try String(contentsOf: file, encoding: .utf8) == "hello")
        try FileManager.default.removeItem(at: file)
    }
}
