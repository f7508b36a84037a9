import Foundation
import MoyaTesting
import MoyaTransport
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Progress of uploads and downloads.
extension RequestLifeTests {
    @Test func progressOfAKnownLengthGoesUpToOne() async {
        let session = Session.over(transport)
        let fractions = Recorded<Double>()
        let queue = DispatchQueue(label: "org.moya.tests.progress")
        let request = session.request(URLRequest.to(Self.url))
        request.downloadProgress(queue: queue) { fractions.add($0.fractionCompleted) }
        request.resume()
        transport.exchanges[0].head(200, [("Content-Length", "4000")])
        for _ in 0..<4 { transport.exchanges[0].chunk(String(repeating: "x", count: 1000)) }
        transport.exchanges[0].end()
        queue.sync {}
        #expect(fractions.all == [0.25, 0.5, 0.75, 1])
    }

    @Test func progressOfAnUnknownLengthCountsBytes() async {
        let session = Session.over(transport)
        let counts = Recorded<[Int64]>()
        let queue = DispatchQueue(label: "org.moya.tests.progress")
        let request = session.request(URLRequest.to(Self.url))
        request.downloadProgress(queue: queue) { counts.add([$0.completedUnitCount, $0.totalUnitCount]) }
        request.resume()
        transport.exchanges[0].respond(200, [], "abc")
        queue.sync {}
        #expect(counts.all == [[3, -1]])
    }

    @Test func anEmptyBodyMakesNoProgress() async {
        let session = Session.over(transport)
        let calls = Recorded<Void>()
        let queue = DispatchQueue(label: "org.moya.tests.progress")
        session.request(URLRequest.to(Self.url)).downloadProgress(queue: queue) { _ in calls.add(()) }.resume()
        transport.exchanges[0].respond()
        queue.sync {}
        #expect(calls.count == 0)
    }

    @Test func theLastProgressClosureCounts() async {
        let session = Session.over(transport)
        let heard = Recorded<Int>()
        let queue = DispatchQueue(label: "org.moya.tests.progress")
        session.request(URLRequest.to(Self.url))
            .downloadProgress(queue: queue) { _ in heard.add(1) }
            .downloadProgress(queue: queue) { _ in heard.add(2) }
            .resume()
        transport.exchanges[0].respond(200, [], "abc")
        queue.sync {}
        #expect(heard.all == [2])
    }

    @Test func aProgressClosureAddedLaterReceivesTheRest() {
        let (session, request) = begun()
        let counts = Recorded<Int64>()
        let queue = DispatchQueue(label: "org.moya.tests.progress")
        transport.exchanges[0].head(200)
        transport.exchanges[0].chunk("abc")
        request.downloadProgress(queue: queue) { counts.add($0.completedUnitCount) }
        transport.exchanges[0].chunk("de")
        transport.exchanges[0].end()
        queue.sync {}
        #expect(counts.all == [5])
        _ = session
    }

    @Test func uploadProgressIsReportedToAClosureThatIsAddedLater() {
        let session = Session.over(transport)
        let request = session.upload(Data("body".utf8), to: Self.url)
        request.resume()
        transport.exchanges[0].sent(2, of: 4)
        let counts = Recorded<Int64>()
        let queue = DispatchQueue(label: "org.moya.tests.progress")
        #expect(transport.exchanges[0].request.reportsSentBytes)
        #expect(request.uploadProgress.completedUnitCount == 2)
        request.uploadProgress(queue: queue) { counts.add($0.completedUnitCount) }
        transport.exchanges[0].sent(4, of: 4)
        queue.sync {}
        #expect(counts.all == [4])
    }

    @Test func progressBeginsAnewWithARetry() async {
        let session = Session.over(transport, interceptor: Intercepting.retrying(1))
        let counts = Recorded<Int64>()
        let queue = DispatchQueue(label: "org.moya.tests.progress")
        session.request(URLRequest.to(Self.url))
            .downloadProgress(queue: queue) { counts.add($0.completedUnitCount) }.resume()
        transport.exchanges[0].head(200)
        transport.exchanges[0].chunk("abc")
        transport.exchanges[0].end(.truncated)
        transport.exchanges[1].respond(200, [], "ab")
        queue.sync {}
        #expect(counts.all == [3, 2])
    }
}
