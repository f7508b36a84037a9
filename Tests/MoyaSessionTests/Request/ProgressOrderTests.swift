import Foundation
import MoyaTransport
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The order of progress and end, on any queues.
@Suite(.timeLimit(.minutes(5))) struct ProgressOrderTests {
    private let transport = SteppedTransport()
    private let progressQueue = DispatchQueue(label: "progress")
    private let endQueue = DispatchQueue(label: "end")

    @Test func progressComesBeforeTheEndThoughItsQueueIsBusy() async {
        let session = Session.over(transport)
        let order = Recorded<String>()
        progressQueue.suspend()
        let request = session.request(URLRequest.to("http://a.example/"))
            .downloadProgress(queue: progressQueue) { _ in order.add("progress") }
        await handedOver { handOver in
            request.response(queue: endQueue) { _ in
                order.add("end")
                handOver(())
            }
            request.resume()
            transport.exchanges[0].respond(200, [], "hello")
            // A handler that did not wait has run by now.
            session.rootQueue.sync {}
            endQueue.sync {}
            progressQueue.resume()
        }
        #expect(order.all == ["progress", "end"])
    }

    @Test func progressOfAnUploadComesInOrderBeforeTheEnd() async {
        let session = Session.over(transport)
        let order = Recorded<String>()
        let upload = session.upload(Data(count: 5), to: "http://a.example/")
            .uploadProgress(queue: progressQueue) { order.add("\($0.completedUnitCount) of \($0.totalUnitCount)") }
        await handedOver { handOver in
            upload.response(queue: endQueue) { _ in
                order.add("end")
                handOver(())
            }
            upload.resume()
            for sent in 1...5 {
                transport.exchanges[0].sent(Int64(sent), of: 5)
                // Each has been reported by now; counts that arrive together are reported as one.
                session.rootQueue.sync {}
                progressQueue.sync {}
            }
            transport.exchanges[0].respond(200)
        }
        #expect(order.all == ["1 of 5", "2 of 5", "3 of 5", "4 of 5", "5 of 5", "end"])
    }

    @Test func lastProgressOfAnUploadComesBeforeTheEndThoughItsQueueIsBusy() async {
        let session = Session.over(transport)
        let order = Recorded<String>()
        progressQueue.suspend()
        let upload = session.upload(Data(count: 5), to: "http://a.example/")
            .uploadProgress(queue: progressQueue) { order.add("\($0.completedUnitCount)") }
        await handedOver { handOver in
            upload.response(queue: endQueue) { _ in
                order.add("end")
                handOver(())
            }
            upload.resume()
            for sent in 1...5 { transport.exchanges[0].sent(Int64(sent), of: 5) }
            transport.exchanges[0].respond(200)
            session.rootQueue.sync {}
            endQueue.sync {}
            progressQueue.resume()
        }
        #expect(order.all.suffix(2) == ["5", "end"])
        let counts = order.all.compactMap { Int($0) }
        #expect(counts == counts.sorted())
    }

    @Test func handlersKeepTheirOrderBehindProgress() async {
        let session = Session.over(transport)
        let order = Recorded<Int>()
        progressQueue.suspend()
        let request = session.request(URLRequest.to("http://a.example/"))
            .downloadProgress(queue: progressQueue) { _ in }
        await handedOver { handOver in
            for number in 0..<10 {
                request.response(queue: endQueue) { _ in
                    order.add(number)
                    if number == 9 { handOver(()) }
                }
            }
            request.resume()
            transport.exchanges[0].respond(200, [], "hello")
            progressQueue.resume()
        }
        #expect(order.all == Array(0..<10))
    }

    @Test func handlerAddedAfterTheEndComesLast() async {
        let session = Session.over(transport)
        let order = Recorded<Int>()
        progressQueue.suspend()
        let request = session.request(URLRequest.to("http://a.example/"))
            .downloadProgress(queue: progressQueue) { _ in }
        await handedOver { handOver in
            request.response(queue: endQueue) { _ in order.add(1) }.resume()
            transport.exchanges[0].respond(200, [], "hello")
            request.response(queue: endQueue) { _ in
                order.add(2)
                handOver(())
            }
            progressQueue.resume()
        }
        #expect(order.all == [1, 2])
    }

    @Test func resumeDataComesBeforeTheResponse() async {
        let session = Session.over(transport)
        let order = Recorded<String>()
        let download = session.download(URLRequest.to("http://a.example/"))
        await handedOver { handOver in
            download.response(queue: endQueue) { _ in
                order.add("response")
                handOver(())
            }
            download.resume()
            download.cancel(byProducingResumeData: { [endQueue] _ in
                // An earlier response has been delivered by now.
                endQueue.sync {}
                order.add("resume data")
            })
        }
        #expect(order.all == ["resume data", "response"])
    }
}
