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
