import Foundation
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct CountedProgressTests {
    @Test func aDownloadsProgressIsOneObjectThatReachesItsTotal() async {
        let session = Session.over(ScriptedTransport(.response(200, [("Content-Length", "5")], "hello")))
        let request = session.request(URLRequest.to("https://example.com"))
        let progress = request.downloadProgress
        _ = await request.outcome()
        #expect(progress === request.downloadProgress)
        #expect(progress.completedUnitCount == 5)
        #expect(progress.totalUnitCount == 5)
    }

    @Test func aProgressAskedForAfterTheEndKnowsWhatArrived() async {
        let session = Session.over(ScriptedTransport(.response(200, [], "hello")))
        let request = session.request(URLRequest.to("https://example.com"))
        _ = await request.outcome()
        #expect(request.downloadProgress.completedUnitCount == 5)
        #expect(request.downloadProgress.totalUnitCount == -1)
    }

    @Test func countsThatComeLateOnAConcurrentQueueTakeNothingBack() {
        let counted = CountedProgress()
        let (first, second) = (counted.number(), counted.number())
        #expect(counted.update(completed: 4, total: 4, numbered: second).fractionCompleted == 1)
        #expect(counted.update(completed: 1, total: 4, numbered: first).fractionCompleted == 1)
    }

    @Test func progressOnAConcurrentQueueReachesOne() async {
        let transport = SteppedTransport()
        let session = Session.over(transport)
        let queue = DispatchQueue(label: "org.moya.tests.progress", attributes: .concurrent)
        let request = session.request(URLRequest.to("https://example.com"))
        let seen = Recorded<Progress>()
        request.downloadProgress(queue: queue) { seen.add($0) }.resume()
        transport.exchanges[0].head(200, [("Content-Length", "1000")])
        for _ in 0..<1000 { transport.exchanges[0].chunk("x") }
        transport.exchanges[0].end()
        queue.sync(flags: .barrier) {}
        #expect(seen.count == 1000)
        #expect(seen.all.last?.fractionCompleted == 1)
    }

    @Test func sentBytesAreAskedForWhereAnUploadsProgressIs() async {
        let transport = ScriptedTransport(.response(200))
        let session = Session.over(transport)
        let request = session.upload(Data("hello".utf8), to: "https://example.com")
        #expect(request.uploadProgress.totalUnitCount == -1)
        _ = await request.outcome()
        #expect(transport.requests.map(\.reportsSentBytes) == [true])
    }
}
