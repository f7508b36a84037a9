import Foundation
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct CountedProgressTests {
    @Test func aDownloadsProgressIsOneObjectThatReachesItsTotal() async {
        let session = Session.over(StubbedTransport(.response(200, [("Content-Length", "5")], "hello")))
        let request = session.request(URLRequest.to("https://example.com"))
        let progress = request.downloadProgress
        _ = await request.outcome()
        #expect(progress === request.downloadProgress)
        #expect(progress.completedUnitCount == 5)
        #expect(progress.totalUnitCount == 5)
    }

    @Test func progressReadAfterTheEndCountsAllBytes() async {
        let session = Session.over(StubbedTransport(.response(200, [], "hello")))
        let request = session.request(URLRequest.to("https://example.com"))
        _ = await request.outcome()
        #expect(request.downloadProgress.completedUnitCount == 5)
        #expect(request.downloadProgress.totalUnitCount == -1)
    }

    @Test(arguments: [(50, 100), (5, 100), (7, .max), (3 << 30, 5 << 30)] as [(Int64, Int64)])
    func countsOfAnotherAttemptReplaceTheFirst(_ completed: Int64, _ total: Int64) {
        for next in [(3, 0), (2, 5), (0, nil), (.max, 5), (-1, 5)] as [(Int64, Int64?)] {
            let counted = CountedProgress()
            counted.update(completed: completed, total: total)
            let progress = counted.update(completed: next.0, total: next.1)
            let known = next.1 == 5
            #expect(progress.totalUnitCount == (known ? 5 : -1))
            #expect(progress.completedUnitCount == (known ? min(max(next.0, 0), 5) : next.0))
        }
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

    @Test func countsSentBytesWhenUploadProgressIsRead() async {
        let transport = StubbedTransport(.response(200))
        let session = Session.over(transport)
        let request = session.upload(Data("hello".utf8), to: "https://example.com")
        #expect(request.uploadProgress.totalUnitCount == -1)
        _ = await request.outcome()
        #expect(transport.requests.map(\.reportsSentBytes) == [true])
    }
}
