import Foundation
import MoyaTesting
import MoyaTransport
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct MaximumResponseBytesTests {
    private let transport = SteppedTransport()

    private func session(_ bytes: Int? = 10, interceptor: (any RequestInterceptor)? = nil) -> Session {
        session(bytes, over: transport, interceptor: interceptor)
    }

    private func session(
        _ bytes: Int? = 10, over transport: any Transport, interceptor: (any RequestInterceptor)? = nil
    ) -> Session {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        return Session(
            configuration: configuration, startRequestsImmediately: false, interceptor: interceptor,
            maximumResponseBytes: bytes, transport: transport)
    }

    /// Starts a request, and gives its exchange.
    private func begin(_ request: Request) -> SteppedTransport.Exchange {
        request.resume()
        return transport.exchanges[0]
    }

    private func bound(_ error: SessionError?) -> Int? {
        if case .responseTooLarge(let bytes)? = error { bytes } else { nil }
    }

    // MARK: The bound

    @Test(
        arguments: [
            (10, ["0123456789"], true), (10, ["01234", "56789"], true), (10, ["01234", "567890"], false),
            (10, ["0123456789", "0"], false), (10, [""], true), (0, [], true), (0, [""], true), (0, ["0"], false),
            (-1, [], true), (.min, ["0"], false), (.max, ["0123456789"], true), (nil, ["0123456789"], true),
        ] as [(Int?, [String], Bool)])
    func boundsTheBodyInMemory(bytes: Int?, chunks: [String], isTaken: Bool) {
        let session = session(bytes)
        let request = session.request("http://a.example/")
        let exchange = begin(request)
        exchange.head(200)
        chunks.forEach(exchange.chunk)
        exchange.end()
        #expect((request.error == nil) == isTaken)
        if !isTaken { #expect(bound(request.error) == max(0, bytes ?? -1)) }
    }

    @Test func cancelsTheExchangeAndReleasesTheBodyAtOnce() {
        let session = session()
        let request = session.request("http://a.example/")
        let exchange = begin(request)
        exchange.head(200)
        exchange.chunk("01234567")
        #expect(exchange.cancellations == 0)
        exchange.chunk("890")
        #expect(exchange.cancellations == 1)
        #expect(bound(request.error) == 10)
        #expect(request.data == nil)
    }

    @Test func failsAtTheHeadThatStatesMore() {
        let session = session()
        let request = session.request("http://a.example/")
        let exchange = begin(request)
        exchange.head(200, [("Content-Length", "11")])
        #expect(exchange.cancellations == 1)
        #expect(bound(request.error) == 10)
    }

    /// A coded body that is short may be long once it is decoded, and the reverse.
    @Test func countsDecodedBytesAlone() {
        let session = session()
        let request = session.request("http://a.example/")
        let exchange = begin(request)
        exchange.head(200, [("Content-Length", "30"), ("Content-Encoding", "gzip")])
        exchange.chunk("0123456789")
        exchange.end()
        #expect(request.error == nil)
        #expect(request.data?.count == 10)
    }

    @Test(arguments: [("HEAD", 200), ("GET", 304), ("GET", 204)])
    func ignoresALengthWithoutABody(method: String, status: Int) {
        let session = session()
        let request = session.request(URLRequest.to("http://a.example/", method: method))
        let exchange = begin(request)
        exchange.head(status, [("Content-Length", "1000000000000")])
        exchange.end()
        #expect(request.error == nil)
    }

    @Test func countsTheResponseAfterARedirectAlone() async {
        let transport = StubbedTransport(
            .response(302, [("Location", "/b")], "more than ten bytes"), .response(200, [], "0123456789"))
        let session = session(over: transport)
        let outcome = await session.request("http://a.example/").outcome()
        #expect(outcome.error == nil)
        #expect(outcome.data?.count == 10)
    }

    @Test func limitsAResponseThatPrecedesItsHandle() async {
        let transport = StubbedTransport(.response(200, [], "01234567890"))
        let session = session(over: transport)
        let outcome = await session.request("http://a.example/").outcome()
        #expect(bound(outcome.error) == 10)
    }

    @Test func cancelsAnExchangeWhoseHandleComesAfterItsHead() async {
        let transport = HeadFirstTransport()
        let session = session(over: transport)
        let request = session.request("http://a.example/")
        let outcome = await request.outcome()
        #expect(transport.cancellations.value == 1)
        #expect(bound(outcome.error) == 10)
    }

    // MARK: Settings

    @Test func defaultsTo256MiB() {
        let session = Session(startRequestsImmediately: false, transport: transport)
        #expect(session.core.maximumResponseBytes == 268_435_456)
    }

    @Test(arguments: [(3, 3), (20, 20), (0, 0), (-5, 0), (nil, Int.max)] as [(Int?, Int)])
    func theLimitOfTheRequestTakesPrecedence(own: Int?, effective: Int) async {
        let session = session(over: StubbedTransport(.response(200, [], "01234567890")))
        let outcome = await session.request("http://a.example/").maximumResponseBytes(own).outcome()
        #expect(bound(outcome.error) == (effective < 11 ? effective : nil))
    }

    @Test func boundsTheResponseOfAnUpload() async {
        let session = session(over: StubbedTransport(.response(200, [], "01234567890")))
        let outcome = await session.upload(Data("a".utf8), to: "http://a.example/").outcome()
        #expect(bound(outcome.error) == 10)
    }

    @Test func doesNotLimitADownloadByDefault() async {
        let transport = StubbedTransport(.response(200, [("Content-Length", "11")], "01234567890"))
        let session = session(over: transport)
        #expect(await session.download("http://a.example/").outcome().error == nil)
        let bounded = session.download("http://a.example/").maximumResponseBytes(10)
        #expect(bound(await bounded.outcome().error) == 10)
    }

    @Test func boundsAFileThatIsReadIntoMemory() async {
        let session = session(
            over: StubbedTransport(.response(200, [], "01234567890"), .response(200, [], "0123456789")))
        for expected in [10, nil] {
            let response = await session.download("http://a.example/").resume().serializingData().response
            #expect(bound(response.error) == expected)
            #expect(response.fileURL != nil)
        }
    }

    @Test(arguments: [11, nil]) func readsAFileOfTheLengthThatTheRequestAllows(_ bytes: Int?) async {
        let session = session(over: StubbedTransport(.response(200, [], "01234567890")))
        let request = session.download("http://a.example/").maximumResponseBytes(bytes)
        #expect(await request.resume().serializingString().response.value == "01234567890")
    }

    @Test func doesNotBoundASerializerThatReturnsTheFile() async {
        let session = session(over: StubbedTransport(.response(200, [], "01234567890")))
        #expect(
            await session.download("http://a.example/").resume().serializingDownloadedFileURL().response.error == nil)
    }

    // MARK: The error

    @Test(arguments: [200, 503]) func isNotRetried(status: Int) async {
        let transport = StubbedTransport(.response(status, [], "01234567890"))
        let session = session(over: transport, interceptor: RetryPolicy(exponentialBackoffScale: 0))
        let request = session.request("http://a.example/").validate()
        #expect(bound(await request.outcome().error) == 10)
        #expect(transport.requests.count == 1)
    }

    @Test func namesTheBoundAndTheSetting() {
        let text = SessionError.responseTooLarge(maximumBytes: 12_345).localizedDescription
        #expect(text.contains("12345 bytes") && text.contains("maximumResponseBytes"))
    }

    @Test func endsAResponseThatGrowsAsItIsDecoded() async throws {
        let bomb = try #require(Data(base64Encoded: Self.zeros))
        let server = try await LoopbackServer { try await $0.respond(200, ["Content-Encoding": "gzip"], body: bomb) }
        let session = Session(
            configuration: .ephemeral, startRequestsImmediately: false, maximumResponseBytes: 99_999)
        #expect(bound(await session.request(server.url).outcome().error) == 99_999)
        let whole = await session.request(server.url).maximumResponseBytes(100_000).outcome()
        #expect(whole.data?.count == 100_000)
    }

    /// 100,000 zeros, in gzip.
    private static let zeros = """
        H4sIAAAAAAACA+3BMQEAAADCoPVPbQ0PoAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\
        AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAIBXA32VEdSghgEA
        """
}

/// Sends a head that states 11 bytes before it gives its handle, and ends once it is cancelled.
private final class HeadFirstTransport: Transport {
    let cancellations = Lock(0)

    func start(_ request: HTTPRequest, delivering sink: any TransportSink) -> any TransportExchange {
        _ = sink.receive(.head(TransportResponseHead(status: 200, contentLength: 11)))
        return Handle(transport: self, sink: sink)
    }

    private final class Handle: TransportExchange {
        private let transport: HeadFirstTransport
        private let sink: any TransportSink

        init(transport: HeadFirstTransport, sink: any TransportSink) {
            self.transport = transport
            self.sink = sink
        }

        func cancel() {
            transport.cancellations.withLock { $0 += 1 }
            _ = sink.receive(.end(TransportEnd(failure: TransportFailure(.cancelled, message: "as asked"))))
        }

        func pause() {}
        func resume() {}
    }
}
