import Foundation
import MoyaTesting
import MoyaTransport
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A request that is made from an `HTTPRequest`, and seen as a `URLRequest` by an adapter or a monitor.
@Suite struct HTTPRequestSourceTests {
    private static let url = "http://a.example/"

    /// The code that sees the request.
    enum Observer: CaseIterable {
        case nobody, adapter, monitor
    }

    private func sent(
        _ body: TransportBody, seenBy observer: Observer, _ change: (inout HTTPRequest) -> Void = { _ in }
    ) async -> HTTPRequest? {
        let transport = StubbedTransport(.response(200))
        let session = Session.over(transport, interceptor: observer == .adapter ? Intercepting() : nil)
        var source = HTTPRequest(method: "POST", url: Self.url, body: body)
        change(&source)
        let request = session.request(source)
        if observer == .monitor { request.onURLRequestCreation(on: .global()) { _ in } }
        _ = await request.outcome()
        return transport.requests.first
    }

    /// Foundation on Linux keeps their fields apart.
    @Test(arguments: Observer.allCases) func namesThatDifferInCaseAreOneField(seenBy observer: Observer) async {
        let transport = StubbedTransport(.response(200))
        let session = Session.over(transport, interceptor: observer == .adapter ? Intercepting() : nil)
        var source = URLRequest.to(Self.url)
        source.allHTTPHeaderFields = ["X-Token": "1", "x-token": "2", "X-TOKEN": "3", "Y": "4"]
        let request = session.request(source)
        if observer == .monitor { request.onURLRequestCreation(on: .global()) { _ in } }
        let outcome = await request.outcome()
        let sent = transport.requests.first?.fields.filter { ["x-token", "y"].contains($0.name.lowercased()) } ?? []
        #expect(sent.count == 2)
        #expect(outcome.request?.value(forHTTPHeaderField: "x-token") == sent.last?.value)
    }

    @Test(arguments: ["a{b}", "q?x=\"y\"", "50%", "%4", "a|b", "a^b", "a<b>", "a`b", "a\\b", "%zz"])
    func aURLThatFoundationCannotParseIsRefused(_ rest: String) async {
        let transport = StubbedTransport(.response(500))
        let request = Session.over(transport).request(HTTPRequest(method: "GET", url: Self.url + rest)).validate()
        #expect(await request.outcome().error != nil)
        #expect(transport.requests.isEmpty)
    }

    @Test(arguments: Observer.allCases) func bodyInMemoryIsSent(observer: Observer) async {
        guard case .data(let data)? = await sent(.data(Data("body".utf8)), seenBy: observer)?.body else {
            Issue.record("There was no body.")
            return
        }
        #expect(data == Data("body".utf8))
    }

    @Test(arguments: Observer.allCases) func fileIsSent(observer: Observer) async {
        let file = URL(fileURLWithPath: "/a")
        guard case .file(file, length: 5)? = await sent(.file(file, length: 5), seenBy: observer)?.body else {
            Issue.record("There was no file.")
            return
        }
    }

    @Test(arguments: Observer.allCases) func readerIsSent(observer: Observer) async {
        let reader = EmptyReader(canRewind: true)
        guard
            case .stream(let sent, length: 5)? = await sent(.stream(reader, length: 5), seenBy: observer)?.body,
            sent === reader
        else {
            Issue.record("There was no reader.")
            return
        }
        #expect(reader.rewinds.value == 0)
    }

    @Test(arguments: Observer.allCases) func answerToAChallengeIsKept(observer: Observer) async {
        let sent = await sent(.none, seenBy: observer) {
            $0.authentication = TransportAuthentication(scheme: .ntlm, user: "user", password: "word")
        }
        #expect(sent?.authentication?.user == "user")
    }

    @Test(arguments: [true, false]) func readerIsReadAgainForARetry(canRewind: Bool) async {
        let transport = StubbedTransport(.response(503), .response(200))
        let session = Session.over(transport, interceptor: Intercepting.retrying(1))
        let reader = EmptyReader(canRewind: canRewind)
        let outcome = await session.request(HTTPRequest(method: "PUT", url: Self.url, body: .stream(reader, length: 5)))
            .validate().outcome()
        #expect(reader.rewinds.value == 1)
        #expect(transport.requests.count == (canRewind ? 2 : 1))
        #expect((outcome.error == nil) == canRewind)
    }
}

private final class EmptyReader: TransportBodyReader {
    let rewinds = Lock(0)
    private let canRewind: Bool

    init(canRewind: Bool) { self.canRewind = canRewind }

    func read(into buffer: UnsafeMutableRawBufferPointer, whenReadable: @escaping @Sendable () -> Void) -> Int? { 0 }

    func rewind() -> Bool {
        rewinds.add(1)
        return canRewind
    }
}
