import Foundation
import MoyaTransport
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct RequestSequencesTests {
    private let transport = SteppedTransport()
    private let queue = DispatchQueue(label: "closures")

    private func request(_ session: Session) -> DataRequest { session.request("https://a.example/items?page=1") }

    private func all<Element: Sendable>(_ elements: StreamOf<Element>) async -> [Element] {
        var all: [Element] = []
        for await element in elements { all.append(element) }
        return all
    }

    @Test func everyAttemptHasAURLRequest() async {
        let session = Session.over(transport, interceptor: Intercepting.retrying(1))
        let request = request(session)
        let requests = request.urlRequests()
        request.validate().resume()
        transport.exchanges[0].respond(503)
        transport.exchanges[1].respond(200)
        #expect(await all(requests).map(\.url?.query) == ["page=1", "page=1"])
    }

    @Test func everyAttemptHasACommandLine() async {
        let session = Session.over(transport)
        let request = request(session)
        let texts = request.cURLDescriptions()
        request.resume()
        transport.exchanges[0].respond(200)
        #expect(await all(texts).map { $0.hasPrefix("$ curl -v") } == [true])
    }

    @Test func everyResponseIsAnElement() async {
        let session = Session.over(transport, interceptor: Intercepting.retrying(1))
        let request = request(session)
        let responses = request.httpResponses()
        request.validate().resume()
        transport.exchanges[0].respond(503)
        transport.exchanges[1].respond(201)
        #expect(await all(responses).map(\.statusCode) == [503, 201])
    }

    @Test func progressEndsWithTheRequest() async {
        let session = Session.over(transport)
        let request = request(session)
        let progress = request.downloadProgress()
        request.resume()
        transport.exchanges[0].respond(200, [("Content-Length", "4")], "body")
        #expect(await all(progress).map(\.completedUnitCount) == [4])
    }

    @Test func sentBytesAreProgressToo() async {
        let session = Session.over(transport)
        let request = session.upload(Data("body".utf8), to: "https://a.example")
        let progress = request.uploadProgress()
        request.resume()
        transport.exchanges[0].sent(4, of: 4)
        transport.exchanges[0].respond(200)
        #expect(await all(progress).map(\.fractionCompleted) == [1])
    }

    @Test func aClosureReceivesTheURLRequest() async {
        let session = Session.over(transport)
        let request = request(session)
        let made = await handedOver { handOver in
            request.onURLRequestCreation(on: queue, perform: handOver).resume()
        }
        #expect(made.url?.query == "page=1")
    }

    @Test func aClosureReceivesTheTask() async {
        let session = Session.over(transport)
        let request = request(session)
        let task = await handedOver { handOver in
            request.onURLSessionTaskCreation(on: queue, perform: handOver).resume()
        }
        #expect(task.originalRequest?.url?.query == "page=1")
    }

    @Test func aClosureReceivesTheTaskOfEachAttemptThoughItsQueueIsBusy() async throws {
        let session = Session.over(transport, interceptor: Intercepting.retrying(1))
        let request = request(session)
        let tasks = Recorded<SessionTask>()
        queue.suspend()
        request.onURLSessionTaskCreation(on: queue) { tasks.add($0) }.validate().resume()
        transport.exchanges[0].respond(503)
        transport.exchanges[1].respond(200)
        queue.resume()
        queue.sync {}
        #expect(tasks.all.map { ($0.response as? HTTPURLResponse)?.statusCode } == [503, 200])
        #expect(Set(tasks.all.map(\.taskIdentifier)).count == 2)
    }

    @Test func performedRequestsAreThoseOfEveryAttempt() async {
        let session = Session.over(transport, interceptor: Intercepting.retrying(1))
        let request = request(session)
        request.validate().resume()
        transport.exchanges[0].respond(503)
        transport.exchanges[1].respond(200)
        #expect(request.performedRequests.count == 2)
    }

    @Test func everyAttemptIsATask() async {
        let session = Session.over(transport, interceptor: Intercepting.retrying(1))
        let request = request(session)
        let tasks = request.urlSessionTasks()
        request.validate().resume()
        transport.exchanges[0].respond(503)
        transport.exchanges[1].respond(200)
        #expect(await all(tasks).map(\.attempt) == [0, 1])
    }

    @Test func aBufferMayBeLimited() async {
        let session = Session.over(transport, interceptor: Intercepting.retrying(1))
        let request = request(session)
        let responses = request.httpResponses(bufferingPolicy: .bufferingOldest(1))
        request.validate().resume()
        transport.exchanges[0].respond(503)
        transport.exchanges[1].respond(201)
        queue.sync {}
        #expect(await all(responses).first?.statusCode == 503)
    }
}
