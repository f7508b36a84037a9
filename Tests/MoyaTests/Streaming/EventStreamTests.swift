import Foundation
import Moya
import MoyaTesting
import MoyaTransport
import Testing

@Suite struct EventStreamTests {
    private static let type: LoopbackFields = ["Content-Type": "text/event-stream; charset=utf-8"]

    private func events(_ body: String, _ fields: LoopbackFields = type) async throws -> LoopbackServer {
        try await LoopbackServer { try await $0.respond(200, fields, body: body) }
    }

    private func events(
        of sequence: ResponseSequence<ServerSentEvent>
    ) async -> (events: [ServerSentEvent], error: MoyaError?) {
        var events: [ServerSentEvent] = []
        do throws(MoyaError) {
            for try await event in sequence { events.append(event) }
            return (events, nil)
        } catch {
            return (events, error)
        }
    }

    private func events(of server: LoopbackServer) async -> (events: [ServerSentEvent], error: MoyaError?) {
        await events(of: MoyaProvider<AnyTarget>().events(of: AnyTarget(baseURL: server.url)))
    }

    @Test func yieldsEventsAndRequestsThem() async throws {
        let server = try await events("id: 1\nevent: add\ndata: a\n\ndata: b\n\ndata: unfinished")
        let (found, error) = await events(of: server)
        #expect(found == [ServerSentEvent(id: "1", type: "add", data: "a"), ServerSentEvent(id: "1", data: "b")])
        #expect(error == nil)
        #expect(server.requests.first?.fields["Accept"] == "text/event-stream")
        #expect(server.requests.first?.fields["Last-Event-ID"] == nil)
    }

    @Test func keepsTheAcceptOfTheTarget() async throws {
        let server = try await events("data: a\n\n")
        let target = AnyTarget(baseURL: server.url, headers: ["Accept": "text/event-stream, text/plain"])
        _ = await events(of: MoyaProvider<AnyTarget>().events(of: target))
        #expect(server.requests.first?.fields["Accept"] == "text/event-stream, text/plain")
    }

    @Test(arguments: ["text/plain", "application/json", "text/event-streams", nil])
    func refusesAnotherContentType(type: String?) async throws {
        let server = try await events("data: a\n\n", type.map { ["Content-Type": $0] } ?? [:])
        let (found, error) = await events(of: server)
        #expect(found.isEmpty)
        #expect(error?.streamError == .unacceptableContentType(type))
    }

    @Test func status204EndsTheStream() async throws {
        let server = try await LoopbackServer { try await $0.respond(204) }
        let sequence = MoyaProvider<AnyTarget>().events(of: AnyTarget(baseURL: server.url), reconnecting: .default)
        let (found, error) = await events(of: sequence)
        #expect(found.isEmpty && error == nil)
        #expect(server.requestCount == 1)
    }

    @Test func aSampleIsAStreamOfEvents() async {
        let provider = MoyaProvider<API>(stubClosure: MoyaProvider.immediatelyStub)
        let found = await events(of: provider.events(of: API(sampleData: Data("data: a\n\ndata: b\n\n".utf8))))
        #expect(found.events.map(\.data) == ["a", "b"])
    }

    @Test func decodesUntilTheEventThatEndsTheStream() async throws {
        struct Delta: Decodable, Sendable { var text: String }
        let server = try await LoopbackServer { exchange in
            try await exchange.send(head: 200, Self.type)
            try await exchange.send("data: {\"text\":\"Hel\"}\n\ndata: {\"text\":\"lo\"}\n\ndata: [DONE]\n\n")
            try await exchange.stallUntilClosed()
        }
        var text = ""
        for try await delta in MoyaProvider<AnyTarget>().events(
            of: AnyTarget(baseURL: server.url, method: .post), as: Delta.self, until: "[DONE]")
        {
            text += delta.text
        }
        #expect(text == "Hello")
        try await server.waitUntil { $0.handledCount == 1 }
    }

    @Test func anEventThatCannotBeDecodedCarriesItsText() async throws {
        let server = try await events("data: 1\n\ndata: x\n\ndata: 3\n\n")
        var numbers = MoyaProvider<AnyTarget>().events(of: AnyTarget(baseURL: server.url), as: Int.self)
            .makeAsyncIterator()
        #expect(try await numbers.next() == 1)
        let error = await #expect(throws: MoyaError.self) { _ = try await numbers.next() }
        #expect(error?.response?.data == Data("x".utf8))
        #expect(try await numbers.next() == 3)
        #expect(try await numbers.next() == nil)
    }

    @Test func anEventBeyondTheBoundEndsTheStream() async throws {
        let server = try await events("data: a\n\ndata: 0123456789\n\n")
        let sequence = MoyaProvider<AnyTarget>().events(
            of: AnyTarget(baseURL: server.url), reconnecting: .default, maximumEventLength: 9)
        let (found, error) = await events(of: sequence)
        #expect(found.map(\.data) == ["a"])
        #expect(error?.streamError == .elementTooLong(limit: 9))
        #expect(server.requestCount == 1)
    }
}
