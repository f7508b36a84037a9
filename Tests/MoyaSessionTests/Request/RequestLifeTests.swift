import Foundation
import MoyaTesting
import MoyaTransport
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct RequestLifeTests {
    static let url = "http://a.example/"
    let transport = SteppedTransport()

    func begun() -> (Session, DataRequest) {
        let session = Session.over(transport)
        return (session, session.request(URLRequest.to(Self.url)).resume())
    }

    // MARK: The order of the handlers

    @Test func aHandlerThatIsAddedWhileTheRequestEndsRunsBehindTheOthers() {
        let session = Session.over(transport)
        let order = Recorded<String>()
        let queue = DispatchQueue(label: "handlers")
        let request = session.request(URLRequest.to(Self.url)).suspend()
        request.response(queue: queue) { _ in order.add("first") }
        // The command line of a request that was never sent is passed on between its end and its handlers.
        request.cURLDescription { _ in request.response(queue: queue) { _ in order.add("added at the end") } }
        request.cancel()
        queue.sync {}
        #expect(order.all == ["first", "added at the end"])
    }

    @Test func aHandlerThatAHandlerAddsRunsBehindTheOthers() {
        let session = Session.over(transport)
        let order = Recorded<String>()
        let request = session.request(URLRequest.to(Self.url)).suspend()
        request.onFinish { request, _ in
            request.onFinish { _ in order.add("added by the first") }
            order.add("first")
        }
        request.onFinish { _ in order.add("second") }
        request.cancel()
        request.onFinish { _ in order.add("added later") }
        #expect(order.all == ["first", "second", "added by the first", "added later"])
    }

    // MARK: What is known, and when

    @Test func theFieldsFillDuringTheCall() async {
        let session = Session.over(transport)
        let request = session.request(URLRequest.to(Self.url))
        #expect(request.requests.isEmpty && request.request == nil && request.response == nil)
        #expect(request.description == "No request created yet.")
        request.resume()
        #expect(request.firstRequest?.url == request.lastRequest?.url)
        #expect(request.description == "GET http://a.example/")
        transport.exchanges[0].head(201, [("X-Name", "1")])
        #expect(request.response?.statusCode == 201)
        #expect(request.description == "GET http://a.example/ (201)")
        #expect(request.data == nil)
        transport.exchanges[0].chunk("hello")
        transport.exchanges[0].end()
        let response = await request.answered()
        #expect(response.request?.url?.absoluteString == Self.url)
        #expect(response.response?.value(forHTTPHeaderField: "x-name") == "1")
        #expect(response.data == Data("hello".utf8) && response.value == Data("hello".utf8))
        #expect(response.metrics != nil && request.allMetrics.count == 1)
        #expect(request.isFinished && request.error == nil && request.retryCount == 0)
    }

    @Test func theBodyIsSetAtTheEndOfItsExchange() {
        let (session, request) = begun()
        transport.exchanges[0].head(200)
        transport.exchanges[0].chunk("whole")
        #expect(request.data == nil)
        transport.exchanges[0].end()
        #expect(request.data == Data("whole".utf8))
        _ = session
    }

    @Test func aCancelledRequestHasNoBody() async {
        let (session, request) = begun()
        transport.exchanges[0].head(200)
        transport.exchanges[0].chunk("half")
        request.cancel()
        #expect(await request.answered().data == nil)
        #expect(request.data == nil)
        _ = session
    }

    @Test func aCancelledRequestHasNoMetrics() async {
        let (session, request) = begun()
        transport.exchanges[0].head(200)
        request.cancel()
        #expect(await request.answered().metrics == nil)
        _ = session
    }

    @Test func aRequestThatIsCancelledDuringItsValidationHasNoBody() async {
        let session = Session.over(transport)
        let request = session.request(URLRequest.to("http://a.example/"))
        request.validate { [unowned request] _, _, _ in
            request.cancel()
            return .success(())
        }
        request.resume()
        transport.exchanges[0].respond(200, [], "whole")
        #expect(await request.answered().error?.isExplicitlyCancelledError == true)
        #expect(request.data == nil)
    }

    @Test func keepsBytesFromBeforeAFailure() async {
        let (session, request) = begun()
        transport.exchanges[0].head(200)
        transport.exchanges[0].chunk("half")
        transport.exchanges[0].end(.truncated)
        let response = await request.answered()
        #expect(response.data == Data("half".utf8))
        #expect(response.response?.statusCode == 200)
        #expect(response.error?.transportFailure?.kind == .truncated)
        _ = session
    }

    /// Cancels its request when it is released.
    private final class Owner: Sendable {
        let request: DataRequest

        init(_ request: DataRequest) { self.request = request }

        deinit { request.cancel() }
    }

    #if os(Linux) || os(macOS)
    @Test func releasingAClosureAtTheEndMayCallTheRequest() async {
        await #expect(processExitsWith: .success) {
            let session = Session.over(StubbedTransport(.failure(.reset)))
            for add: @Sendable (DataRequest, Owner) -> Void in [
                { request, owner in request.downloadProgress { _ in _ = owner } },
                { request, owner in request.uploadProgress { _ in _ = owner } },
                { request, owner in request.onHTTPResponse { _ in _ = owner } },
                { request, owner in
                    request.validate { _, _, _ in owner.request.isCancelled ? .success(()) : .success(()) }
                },
                { request, owner in request.response { _ in _ = owner } },
            ] {
                let request = session.request(URLRequest.to("http://a.example/"))
                add(request, Owner(request))
                _ = await request.resume().outcome()
            }
        }
    }

    @Test func replacingAClosureMayCallTheRequest() async {
        await #expect(processExitsWith: .success) {
            let session = Session.over(StubbedTransport(.silence))
            let request = session.request(URLRequest.to("http://a.example/"))
            let owner = Owner(request)
            request.downloadProgress { _ in _ = owner }
            request.onHTTPResponse { _ in _ = owner }
            request.downloadProgress { _ in }.onHTTPResponse { _ in }
        }
    }
    #endif

    @Test func aRequestThatIsOverReleasesItsClosures() async {
        weak var seen: Owner?
        let session = Session.over(StubbedTransport(.response(200, [], "hello")))
        let request = session.request(URLRequest.to(Self.url))
        do {
            let owner = Owner(request)
            seen = owner
            request.validate { _, _, _ in owner.request.isCancelled ? .success(()) : .success(()) }
            request.onHTTPResponse(on: session.rootQueue) { _ in _ = owner }
            request.downloadProgress(queue: session.rootQueue) { _ in _ = owner }
        }
        _ = await request.resume().outcome()
        session.rootQueue.sync {}
        #expect(seen == nil)
    }

    @Test func aRequestThatIsOverKeepsNoFurtherClosures() async {
        weak var seen: Owner?
        let session = Session.over(StubbedTransport(.response(200)))
        let request = session.request(URLRequest.to(Self.url))
        _ = await request.resume().outcome()
        do {
            let owner = Owner(request)
            seen = owner
            request.validate { _, _, _ in owner.request.isCancelled ? .success(()) : .success(()) }
            request.onHTTPResponse { _ in _ = owner }
            request.downloadProgress { _ in _ = owner }
        }
        #expect(seen == nil)
    }

    @Test func aCancelledRequestDoesNotOutliveItsRetryDelay() async {
        let retrier = Interceptor(retriers: [Retrier { _, _, _, completion in completion(.retryWithDelay(3_600)) }])
        let session = Session.over(StubbedTransport(.failure(.reset)), interceptor: retrier)
        weak var seen: DataRequest?
        do {
            let request = session.request(URLRequest.to(Self.url)).resume()
            seen = request
            session.rootQueue.sync {}
            #expect(request.retryCount == 1)
            _ = await request.cancel().outcome()
        }
        session.rootQueue.sync {}
        #expect(seen == nil)
    }

    @Test func eventsAfterACancellationChangeNothing() async {
        let transport = SteppedTransport(endsWhenCancelled: false)
        let session = Session.over(transport)
        let request = session.request(URLRequest.to(Self.url)).resume()
        request.cancel()
        // On its way when the exchange was cancelled.
        transport.exchanges[0].head(200)
        transport.exchanges[0].chunk("late")
        transport.exchanges[0].end()
        let response = await request.answered()
        #expect(response.response == nil && response.data == nil)
        #expect(request.response == nil && request.data == nil)
        #expect(request.downloadProgress.completedUnitCount == 0)
        #expect(request.task?.countOfBytesReceived ?? 0 == 0)
        _ = session
    }

    @Test func theResponseNamesTheRequestThatWasSentLast() async {
        let session = Session.over(
            StubbedTransport(.response(200)),
            interceptor: Intercepting(adapt: { _, completion in completion(.success(.to("http://b.example/"))) }))
        let response = await session.request(URLRequest.to(Self.url)).answered()
        #expect(response.request?.url?.absoluteString == "http://b.example/")
    }

    @Test func theResponseNamesTheInitialRequestWhenAdaptingFailed() async {
        let session = Session.over(
            StubbedTransport(.response(200)),
            interceptor: Intercepting(adapt: { _, completion in completion(.failure(Refused())) }))
        let response = await session.request(URLRequest.to(Self.url)).answered()
        #expect(response.request?.url?.absoluteString == Self.url)
        #expect(response.response == nil && response.data == nil)
    }

    // MARK: Handlers

    @Test func everyHandlerRunsOnceInOrder() async {
        let (session, request) = begun()
        let order = Recorded<Int>()
        let queue = DispatchQueue(label: "org.moya.tests.handlers")
        for number in 0..<50 { request.response(queue: queue) { _ in order.add(number) } }
        transport.exchanges[0].respond()
        for number in 50..<100 { request.response(queue: queue) { _ in order.add(number) } }
        queue.sync {}
        #expect(order.all == Array(0..<100))
        _ = session
    }

    @Test(.timeLimit(.minutes(1))) func aHandlerAddedInAHandlerRuns() async {
        let (session, request) = begun()
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            request.response(queue: .global()) { [unowned request] _ in
                request.response(queue: .global()) { _ in continuation.resume() }
            }
            transport.exchanges[0].respond()
        }
        _ = session
    }

    @Test func aHandlerAddedAfterACancelRuns() async {
        let (session, request) = begun()
        request.cancel()
        #expect(await request.answered().error?.isExplicitlyCancelledError == true)
        _ = session
    }

    @Test func handlersRunOnTheMainQueueByDefault() async {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        let (session, request) = begun()
        let isOnMain = await withCheckedContinuation { (continuation: CheckedContinuation<Bool, Never>) in
            request.response { _ in continuation.resume(returning: DispatchQueue.getSpecific(key: key) ?? false) }
            transport.exchanges[0].respond()
        }
        #expect(isOnMain)
        _ = session
    }

    @Test func aCancelInACompletionKeepsTheSuccess() async {
        let (session, request) = begun()
        transport.exchanges[0].respond(200, [], "hello")
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            request.response(queue: .global()) { [unowned request] _ in
                request.cancel()
                continuation.resume()
            }
        }
        #expect(request.isFinished && request.error == nil)
        #expect(await request.answered().value == Data("hello".utf8))
        _ = session
    }
}
