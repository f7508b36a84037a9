import CallOrders
import Foundation
import Moya
import Testing

/// Streams of sse-starlette, directly and behind nginx, and of httpbin.
@Suite(.needsServers, .timeLimit(.minutes(5)))
struct EventFeedTests {
    let servers: Servers
    let provider: MoyaProvider<Call>
    /// The word of the test.
    let mark = uniqueMark()

    init() throws {
        servers = try #require(Servers.running)
        provider = MoyaProvider(session: .trusting(servers))
    }

    private struct Tick: Decodable, Sendable, Equatable {
        var number: Int
    }

    // MARK: Events

    @Test(arguments: FeedFront.allCases)
    func everyEventArrivesInOrder(front: FeedFront) async throws {
        let feed = Call.get(front.url(servers), "/events/\(mark)", query: ["count": 500])
        var events: [ServerSentEvent] = []
        for try await event in provider.events(of: feed) { events.append(event) }
        #expect(events == (1...500).map { ServerSentEvent(id: "\($0)", type: "tick", data: "{\"number\": \($0)}") })
    }

    @Test(arguments: FeedFront.allCases)
    func eachEventArrivesBeforeTheNextIsSent(front: FeedFront) async throws {
        let feed = Call.get(front.url(servers), "/events/\(mark)", query: ["count": 5, "held": 5])
        var ticks = provider.events(of: feed, as: Tick.self).makeAsyncIterator()
        for number in 1...5 {
            try await servers.feeds.pass(mark)
            #expect(try await ticks.next() == Tick(number: number))
        }
        #expect(try await ticks.next() == nil)
    }

    @Test(arguments: FeedFront.allCases)
    func aResponseThatBreaksOffIsResumedAtItsLastId(front: FeedFront) async throws {
        let feed = Call.get(front.url(servers), "/cut/\(mark)", query: ["count": 50, "after": 7])
        let policy = Reconnection(attempts: 2, backoff: .none)
        var ids: [String?] = []
        for try await event in provider.events(of: feed, reconnecting: policy) { ids.append(event.id) }
        #expect(ids == (1...50).map { "\($0)" })
    }

    @Test(arguments: FeedFront.allCases)
    func aResponseThatBreaksOffIsAnErrorWithoutReconnection(front: FeedFront) async throws {
        let feed = Call.get(front.url(servers), "/cut/\(mark)", query: ["count": 50, "after": 7])
        var events = provider.events(of: feed).makeAsyncIterator()
        for number in 1...7 { #expect(try await events.next()?.id == "\(number)") }
        let error = await #expect(throws: MoyaError.self) { _ = try await events.next() }
        #expect(error?.response?.statusCode == 200)
        #expect(error?.transportFailure != nil, "\(String(describing: error))")
    }

    // MARK: Lines

    @Test func everyLineOfHttpbinArrivesInOrder() async throws {
        struct Line: Decodable, Sendable { let id: Int }
        let stream = Call.get(servers.httpbin, "/stream/50")
        var lines: [String] = []
        for try await line in provider.lines(of: stream) { lines.append(line) }
        var ids: [Int] = []
        for try await line in provider.jsonLines(of: stream, as: Line.self) { ids.append(line.id) }
        #expect(lines.count == 50)
        #expect(ids == Array(0..<50))
    }
}
