import Foundation
import MoyaTesting
import MoyaTransport
import Testing

@testable import MoyaSession

@Suite struct DataStreamTaskTests {
    private let transport = SteppedTransport()
    private let session: Session
    private let request: DataStreamRequest

    init() {
        session = .over(transport)
        request = session.streamRequest("https://a.example/export")
    }

    @Test func readsTheChunksAndThenTheEnd() async {
        let parts = request.streamTask().streamingStrings()
        request.resume()
        transport.exchanges[0].respond(200, [], "body")
        var texts: [String] = []
        var ends = 0
        for await part in parts {
            if let text = part.value { texts.append(text) }
            if part.completion != nil { ends += 1 }
        }
        #expect(texts == ["body"])
        #expect(ends == 1)
    }

    @Test func loopsOverOneSequenceShareItsParts() async {
        let parts = request.streamTask().streamingStrings()
        request.resume()
        transport.exchanges[0].head(200)
        let count = await withTaskGroup(of: Int.self) { loops in
            for _ in 0..<3 {
                loops.addTask {
                    var count = 0
                    for await part in parts where part.value != nil { count += 1 }
                    return count
                }
            }
            for number in 0..<8 { transport.exchanges[0].chunk("\(number)") }
            transport.exchanges[0].end()
            return await loops.reduce(0, +)
        }
        #expect(count == 8)
        #expect(!request.isCancelled)
    }

    @Test func decodesEachChunk() async {
        let parts = request.streamTask().streamingDecodables(Int.self)
        request.resume()
        transport.exchanges[0].head(200)
        transport.exchanges[0].chunk("1")
        transport.exchanges[0].chunk("2")
        transport.exchanges[0].end()
        var numbers: [Int] = []
        for await part in parts { part.value.map { numbers.append($0) } }
        #expect(numbers == [1, 2])
    }

    @Test func leavingTheLoopCancelsTheRequest() async {
        await readOne(cancelling: true)
        #expect(request.isCancelled)
    }

    @Test func leavingTheLoopOfASequenceThatIsHeldCancelsTheRequest() async {
        let parts = request.streamTask().streamingData()
        request.resume()
        transport.exchanges[0].head(200)
        transport.exchanges[0].chunk("first")
        for await _ in parts { break }
        #expect(request.isCancelled)
        withExtendedLifetime(parts) {}
    }

    @Test func leavingTheLoopKeepsTheRequestIfAsked() async {
        await readOne(cancelling: false)
        #expect(!request.isCancelled)
    }

    @Test(.timeLimit(.minutes(1))) func aLoopThatWasLeftDoesNotStopTheRequest() async throws {
        let server = try await LoopbackServer { try await $0.respond(body: Data(count: 3_000_000)) }
        let session = Session()
        let task = session.streamRequest(server.url).streamTask()
        let left = task.streamingData(automaticallyCancelling: false)
        let whole = task.streamingData(automaticallyCancelling: false)
        for await _ in left { break }
        var count = 0
        for await part in whole { count += part.value?.count ?? 0 }
        #expect(count == 3_000_000)
        withExtendedLifetime((left, session)) {}
    }

    private func readOne(cancelling: Bool) async {
        let parts = request.streamTask().streamingData(automaticallyCancelling: cancelling)
        request.resume()
        transport.exchanges[0].head(200)
        transport.exchanges[0].chunk("first")
        for await _ in parts { break }
    }

    @Test func cancellingTheTaskOfTheLoopEndsIt() async {
        let parts = request.streamTask().streamingData()
        request.resume()
        transport.exchanges[0].head(200)
        let reading = _Concurrency.Task { for await _ in parts {} }
        reading.cancel()
        await reading.value
        #expect(request.isCancelled)
    }

    @Test func anUnreadSequenceHoldsTheTransport() async {
        let parts = request.streamTask().streamingData()
        request.resume()
        transport.exchanges[0].head(200)
        transport.exchanges[0].chunk(String(repeating: "x", count: 200_000))
        #expect(request.delivery.isHeld)
        var iterator = parts.makeAsyncIterator()
        _ = await iterator.next()
        #expect(!request.delivery.isHeld)
        #expect(transport.exchanges[0].resumptions == 1)
    }

    // MARK: Limited buffers

    private typealias Parts = DataStreamTask.Stream<String, Never>

    /// The texts of a sequence that is read once all of its parts have arrived, and the number of ends.
    private func texts(of chunks: [String], _ policy: Parts.BufferingPolicy) async -> (texts: [String], ends: Int) {
        let parts = request.streamTask().streamingStrings(bufferingPolicy: policy)
        request.resume()
        transport.exchanges[0].head(200)
        for chunk in chunks { transport.exchanges[0].chunk(chunk) }
        transport.exchanges[0].end()
        request.serializationQueue.sync {}
        var (texts, ends) = ([String](), 0)
        for await part in parts {
            if let text = part.value { texts.append(text) }
            if part.completion != nil { ends += 1 }
        }
        return (texts, ends)
    }

    @Test(arguments: [(3, ["c", "d"]), (1, []), (0, []), (.min, []), (.max, ["a", "b", "c", "d"])])
    func newestPartsAreKeptWithTheEnd(limit: Int, kept: [String]) async {
        let read = await texts(of: ["a", "b", "c", "d"], .bufferingNewest(limit))
        #expect(read.texts == kept)
        #expect(read.ends == 1)
    }

    @Test(arguments: [(3, ["a", "b", "c"]), (1, ["a"]), (0, []), (.min, []), (.max, ["a", "b", "c", "d"])])
    func oldestPartsAreKeptWithTheEnd(limit: Int, kept: [String]) async {
        let read = await texts(of: ["a", "b", "c", "d"], .bufferingOldest(limit))
        #expect(read.texts == kept)
        #expect(read.ends == 1)
    }

    @Test func unlimitedBufferKeepsEveryPart() async {
        #expect(await texts(of: ["a", "b", "c", "d"], .unbounded).texts == ["a", "b", "c", "d"])
    }

    @Test func limitedBufferDoesNotHoldTheTransport() async {
        let newest = request.streamTask().streamingData(bufferingPolicy: .bufferingNewest(1))
        let oldest = request.streamTask().streamingResponses(
            serializedUsing: PassthroughStreamSerializer(), bufferingPolicy: .bufferingOldest(1))
        let decoded = request.streamTask().streamingDecodables(String.self, bufferingPolicy: .bufferingNewest(1))
        request.resume()
        transport.exchanges[0].head(200)
        transport.exchanges[0].chunk(String(repeating: "x", count: 200_000))
        request.serializationQueue.sync {}
        #expect(!request.delivery.isHeld)
        withExtendedLifetime((newest, oldest, decoded)) {}
    }
}
