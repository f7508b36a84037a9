import Foundation
import MoyaTesting
import MoyaTransport
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A stream whose bytes become available when a test releases them.
private final class HeldInputStream: InputStream {
    private let bytes: Lock<[UInt8]>
    private let gate = DispatchSemaphore(value: 0)
    private let status = Lock(Stream.Status.notOpen)
    let reads = Lock(0)

    init(_ text: String) {
        bytes = Lock(Array(text.utf8))
        super.init(data: Data())
    }

    /// Lets one more read return.
    func letRead() { gate.signal() }

    override var streamStatus: Stream.Status { status.withLock { $0 } }
    override var hasBytesAvailable: Bool { true }
    override func open() { status.withLock { $0 = .open } }
    override func close() { status.withLock { $0 = .closed } }

    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength length: Int) -> Int {
        reads.add(1)
        gate.wait()
        return bytes.withLock { bytes in
            let count = min(length, bytes.count)
            for index in 0..<count { buffer[index] = bytes[index] }
            bytes.removeFirst(count)
            if bytes.isEmpty, count == 0 { status.withLock { $0 = .atEnd } }
            return count
        }
    }
}

/// A stream that cannot be read.
private final class BrokenInputStream: InputStream {
    // On Apple platforms, the class itself has neither.
    override var streamStatus: Stream.Status { .notOpen }
    override var streamError: (any Error)? { Refused() }
    override func open() {}
    override func close() {}
    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength length: Int) -> Int { -1 }
}

/// A stream that cannot be read, and gives no reason.
private final class MuteInputStream: InputStream {
    override var streamStatus: Stream.Status { .notOpen }
    override var streamError: (any Error)? { nil }
    override func open() {}
    override func close() {}
    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength length: Int) -> Int { -1 }
}

/// A stream that returns more bytes than its buffer has.
private final class OverlongInputStream: InputStream {
    override var streamStatus: Stream.Status { .notOpen }
    override var streamError: (any Error)? { nil }
    override func open() {}
    override func close() {}
    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength length: Int) -> Int { length + 1 }
}

/// Reads a part of a streamed body, then fails; answers from the second exchange on.
private final class HalfReadingTransport: Transport, TransportExchange {
    private let taken = Recorded<HTTPRequest>()
    var requests: [HTTPRequest] { taken.all }

    func start(_ request: HTTPRequest, delivering sink: any TransportSink) -> any TransportExchange {
        taken.add(request)
        guard taken.count == 1, case .stream(let reader, _) = request.body else {
            _ = sink.receive(.head(TransportResponseHead(status: 200)))
            _ = sink.receive(.end(TransportEnd()))
            return self
        }
        read(reader, sink)
        return self
    }

    private func read(_ reader: any TransportBodyReader, _ sink: any TransportSink) {
        var piece = [UInt8](repeating: 0, count: 4)
        let count: Int? = piece.withUnsafeMutableBytes { buffer in
            try? reader.read(into: buffer) { [self] in read(reader, sink) }
        }
        guard count != nil else { return }
        _ = sink.receive(.end(TransportEnd(failure: TransportFailure(.reset, message: "as the test says"))))
    }

    func cancel() {}
    func pause() {}
    func resume() {}
}

@Suite struct BodyStreamTests {
    private static let url = "http://a.example/"

    private func stream(_ text: String) -> InputStream { InputStream(data: Data(text.utf8)) }

    private func urlRequest(_ stream: InputStream, fields: [String: String] = [:]) -> URLRequest {
        var request = URLRequest.to(Self.url, method: "POST")
        request.httpBodyStream = stream
        for (name, value) in fields { request.setValue(value, forHTTPHeaderField: name) }
        return request
    }

    // MARK: What is sent

    @Test func aStreamIsSentInChunks() async throws {
        let server = try await LoopbackServer { exchange in
            _ = try await exchange.body()
            try await exchange.respond()
        }
        let text = String(repeating: "0123456789", count: 30_000)
        let session = Session.onTheWire()
        #expect(await session.upload(stream(text), to: server.url).outcome().error == nil)
        let request = try #require(server.requests.first)
        #expect(request.body == Data(text.utf8))
        #expect(request.fields["Transfer-Encoding"] == "chunked" && request.fields["Content-Length"] == nil)
    }

    @Test func aStreamOfAStatedLengthIsSentWithIt() async throws {
        let server = try await LoopbackServer { exchange in
            _ = try await exchange.body()
            try await exchange.respond()
        }
        let session = Session.onTheWire()
        let outcome = await session.upload(stream("hello"), to: server.url, headers: ["Content-Length": "5"]).outcome()
        #expect(outcome.error == nil)
        let request = try #require(server.requests.first)
        #expect(request.body == Data("hello".utf8))
        #expect(request.fields.values(for: "Content-Length") == ["5"])
        #expect(request.fields["Transfer-Encoding"] == nil)
    }

    @Test func theBodyStreamOfAURLRequestIsSent() async throws {
        let server = try await LoopbackServer { exchange in
            _ = try await exchange.body()
            try await exchange.respond()
        }
        var request = urlRequest(stream("hello"))
        request.url = server.url
        let session = Session.onTheWire()
        #expect(await session.request(request).outcome().error == nil)
        #expect(server.requests.first?.body == Data("hello".utf8))
    }

    @Test func theBodyStreamOfAURLRequestHasTheStatedLength() async {
        let transport = StubbedTransport(.response(200))
        let session = Session.over(transport)
        _ = await session.request(urlRequest(stream("hello"), fields: ["Content-Length": "5"]))
            .outcome()
        guard case .stream(_, let length) = transport.requests[0].body else {
            Issue.record("no stream")
            return
        }
        #expect(length == 5)
    }

    @Test(arguments: ["-5", "-1", "+5", "five", "", "99999999999999999999"])
    func ignoresAMalformedLength(value: String) async {
        let transport = StubbedTransport(.response(200))
        let session = Session.over(transport)
        _ = await session.upload(
            stream("hello"), to: Self.url, headers: ["Content-Length": value]
        ).outcome()
        guard case .stream(_, let length) = transport.requests[0].body else {
            Issue.record("no stream")
            return
        }
        #expect(length == nil)
    }

    @Test func aStreamThatCannotBeReadIsADescribedError() async throws {
        let server = try await LoopbackServer { exchange in
            _ = try await exchange.body()
            try await exchange.respond()
        }
        let session = Session.onTheWire()
        let error = await session.upload(BrokenInputStream(data: Data()), to: server.url).outcome().error
        #expect(error?.transportFailure?.kind == .requestBody)
        #expect(error?.transportFailure?.cause is InputStreamFailure)
    }

    /// Foundation on Linux traps when such a stream's error is read.
    @Test func failureToReadWithoutAReasonIsAnError() {
        let body = InputStreamBody(MuteInputStream(data: Data()))
        #expect(throws: InputStreamFailure.unreadable(nil)) {
            try withUnsafeTemporaryAllocation(byteCount: 1, alignment: 1) { _ = try body.read(into: $0) }
        }
    }

    @Test func moreBytesThanTheBufferHasAreAnError() {
        let body = InputStreamBody(OverlongInputStream(data: Data()))
        #expect(throws: InputStreamFailure.overlong(2, buffer: 1)) {
            try withUnsafeTemporaryAllocation(byteCount: 1, alignment: 1) { _ = try body.read(into: $0) }
        }
    }

    @Test func moreBytesThanTheBufferHasAreAnErrorInAForm() {
        let form = RequestMultipartFormData()
        form.append(OverlongInputStream(data: Data()), headers: [:])
        #expect(throws: SessionError.self) { try form.encode() }
    }

    // MARK: Streams that block

    @Test func blockingStreamBlocksNoOtherRequest() async throws {
        let server = try await LoopbackServer { exchange in
            _ = try await exchange.body()
            try await exchange.respond(body: exchange.request.path)
        }
        let held = HeldInputStream("hello")
        let session = Session.onTheWire()
        let upload = session.upload(held, to: server.url.appendingPathComponent("held")).resume()
        try await server.waitUntil { $0.requestCount == 1 }
        for _ in 0..<3 {
            let outcome = await session.request(server.url.appendingPathComponent("free")).outcome()
            #expect(outcome.data == Data("/free".utf8))
        }
        #expect(upload.isResumed)
        held.letRead()
        held.letRead()
        #expect(await upload.outcome().error == nil)
        #expect(server.requests.first { $0.path == "/held" }?.body == Data("hello".utf8))
    }

    @Test func anUploadWhoseStreamBlocksCanBeCancelled() async throws {
        let server = try await LoopbackServer { exchange in
            _ = try await exchange.body()
            try await exchange.respond()
        }
        let held = HeldInputStream("hello")
        let session = Session.onTheWire()
        let upload = session.upload(held, to: server.url).resume()
        try await server.waitUntil { $0.requestCount == 1 }
        upload.cancel()
        #expect(await upload.outcome().error?.isExplicitlyCancelledError == true)
        try await server.waitUntil { $0.openConnectionCount == 0 }
        held.letRead()
    }

    // MARK: Streams that were read

    @Test func aStreamThatWasReadIsNotSentAgain() async {
        let transport = HalfReadingTransport()
        let session = Session.over(transport, interceptor: Intercepting.retrying(1))
        let error = await session.upload(stream("0123456789"), to: Self.url).outcome().error
        #expect(error?.isCreateUploadableError == true)
        #expect(error?.underlyingError as? InputStreamFailure == .wasRead)
        #expect(transport.requests.count == 1)
    }

    @Test func theRestOfAStreamIsNotSentByAnotherRequest() async {
        let transport = HalfReadingTransport()
        let session = Session.over(transport)
        let body = stream("0123456789")
        let first = session.upload(body, to: Self.url)
        #expect(await first.outcome().error != nil)
        let error = await session.upload(body, to: Self.url).outcome().error
        #expect(error?.underlyingError as? InputStreamFailure == .wasRead)
        #expect(transport.requests.count == 1)
        #expect(body.streamStatus == .closed)
        withExtendedLifetime(first) {}
    }

    @Test func theRestOfABodyStreamIsNotSentAsTheWhole() async {
        let transport = HalfReadingTransport()
        let session = Session.over(transport, interceptor: Intercepting.retrying(1))
        let error = await session.request(urlRequest(stream("0123456789"))).outcome().error
        #expect(error?.isCreateUploadableError == true)
        #expect(transport.requests.count == 1)
    }

    @Test func aFreshStreamForEveryAttemptIsSent() async {
        struct Fresh: URLRequestConvertible {
            func asURLRequest() throws -> URLRequest {
                var request = URLRequest.to(BodyStreamTests.url, method: "POST")
                request.httpBodyStream = InputStream(data: Data("0123456789".utf8))
                return request
            }
        }
        let transport = HalfReadingTransport()
        let session = Session.over(transport, interceptor: Intercepting.retrying(1))
        #expect(await session.request(Fresh()).outcome().head?.status == 200)
        #expect(transport.requests.count == 2)
    }

    @Test func aStreamThatWasNotReadIsSentAgain() async {
        let transport = StubbedTransport(.failure(.connect), .response(200))
        let session = Session.over(transport, interceptor: Intercepting.retrying(1))
        #expect(await session.upload(stream("abc"), to: Self.url).outcome().head?.status == 200)
        #expect(transport.requests.count == 2)
    }

    @Test(arguments: [307, 308])
    func aRedirectThatNeedsAReadStreamAgainIsTheResponse(status: Int) async throws {
        let server = try await LoopbackServer { exchange in
            _ = try await exchange.body()
            try await exchange.respond(status, ["Location": "/next"], body: "moved")
        }
        let session = Session.onTheWire()
        let outcome = await session.upload(stream("hello"), to: server.url).outcome()
        #expect(outcome.head?.status == status && outcome.error == nil)
        #expect(outcome.data == Data("moved".utf8))
        #expect(server.requestCount == 1)
    }

    @Test func aRedirectThatNeedsNoBodyIsFollowed() async throws {
        let server = try await LoopbackServer { exchange in
            _ = try await exchange.body()
            if exchange.request.path == "/next" { return try await exchange.respond(body: exchange.request.method) }
            try await exchange.respond(303, ["Location": "/next"])
        }
        let session = Session.onTheWire()
        #expect(await session.upload(stream("hello"), to: server.url).outcome().data == Data("GET".utf8))
    }

    @Test func aChallengeThatNeedsAReadStreamAgainIsTheResponse() async throws {
        let server = try await LoopbackServer { exchange in
            _ = try await exchange.body()
            try await exchange.respond(401, ["WWW-Authenticate": "Basic realm=\"r\""])
        }
        let session = Session.onTheWire()
        let outcome = await session.upload(stream("hello"), to: server.url)
            .authenticate(username: "user", password: "pass").outcome()
        #expect(outcome.head?.status == 401 && outcome.error == nil)
        #expect(server.requestCount == 1)
    }
}
