import Foundation
import MoyaTesting
import MoyaTransport
import Testing

@testable import MoyaSession

@Suite(.timeLimit(.minutes(5))) struct UploadStreamReaderTests {
    private func reader(_ elements: CountedElements, length: Int64? = nil) -> UploadStreamReader {
        UploadStreamReader(UploadStream(elements, length: length), length: length)
    }

    /// Reads as a wire does that has room for so many bytes, once.
    private func read(_ reader: UploadStreamReader, _ size: Int = 100) async throws -> String {
        var buffer = [UInt8](repeating: 0, count: size)
        while true {
            let readable = Gate()
            let count = try buffer.withUnsafeMutableBytes { try reader.read(into: $0) { readable.open() } }
            if let count { return String(decoding: buffer[..<count], as: UTF8.self) }
            try await readable.wait()
        }
    }

    private func readFailure(_ reader: UploadStreamReader) async -> SessionError? {
        await #expect(throws: SessionError.self) { try await reader.readToEnd() }
    }

    // MARK: Elements

    @Test(arguments: [1, 2, 100]) func readsTheElementsInTheirOrder(size: Int) async throws {
        #expect(try await reader(CountedElements("abc", "d", "ef")).readToEnd(by: size) == Data("abcdef".utf8))
    }

    @Test func readsASliceOfData() async throws {
        let slice = Data("0123456789".utf8)[3..<6]
        let stream = UploadStream(
            AsyncStream {
                $0.yield(slice); $0.finish()
            })
        #expect(try await UploadStreamReader(stream, length: nil).readToEnd() == Data("345".utf8))
    }

    @Test func anEmptyElementIsNotTheEnd() async throws {
        #expect(try await reader(CountedElements("", "a", "", "b", "")).readToEnd() == Data("ab".utf8))
    }

    @Test func aSequenceWithoutElementsIsEmpty() async throws {
        #expect(try await reader(CountedElements()).readToEnd() == Data())
    }

    @Test func theSequenceIsNotReadBeforeTheTransportRequestsIt() {
        let elements = CountedElements("a")
        withExtendedLifetime(reader(elements)) { #expect(elements.asked.value == 0) }
    }

    @Test func anElementIsRequestedOnceThePreviousOneIsTaken() async throws {
        let elements = CountedElements("abcd", "e")
        let reader = reader(elements)
        #expect(try await read(reader, 2) == "ab")
        #expect(elements.asked.value == 1)
        #expect(try await read(reader, 2) == "cd")
        #expect(elements.asked.value == 1)
        #expect(try await read(reader, 2) == "e")
        #expect(elements.asked.value == 2)
    }

    @Test func theErrorOfTheSequenceFollowsItsElements() async throws {
        let reader = reader(CountedElements("a", isBroken: true))
        #expect(try await read(reader) == "a")
        #expect(await readFailure(reader)?.underlyingError as? CountedElements.Broken == CountedElements.Broken())
    }

    // MARK: Length

    @Test func aBodyOfTheStatedLengthIsComplete() async throws {
        #expect(try await reader(CountedElements("ab", "c"), length: 3).readToEnd() == Data("abc".utf8))
    }

    @Test func aBodyThatIsTooShortIsAnError() async {
        let error = await readFailure(reader(CountedElements("ab"), length: 3))
        #expect(error?.underlyingError as? UploadStreamError == .endedEarly(sent: 2, length: 3))
    }

    @Test(arguments: [["abcd"], ["ab", "cd"], ["abc", "d"]]) func aBodyThatIsTooLongIsAnError(texts: [String]) async {
        let elements = AsyncStream { continuation in
            for text in texts { continuation.yield(Data(text.utf8)) }
            continuation.finish()
        }
        let error = await readFailure(UploadStreamReader(UploadStream(elements, length: 3), length: 3))
        #expect(error?.underlyingError as? UploadStreamError == .exceedsLength(3))
    }

    @Test func theLastElementOfAStatedLengthWaitsForTheEnd() async throws {
        let (elements, continuation) = AsyncStream<Data>.makeStream()
        let reader = UploadStreamReader(UploadStream(elements, length: 3), length: 3)
        continuation.yield(Data("ab".utf8))
        #expect(try await read(reader) == "ab")
        continuation.yield(Data("c".utf8))
        let readable = Gate()
        var buffer = [UInt8](repeating: 0, count: 1)
        let count = try buffer.withUnsafeMutableBytes { try reader.read(into: $0) { readable.open() } }
        #expect(count == nil)
        continuation.finish()
        try await readable.wait()
        #expect(try await read(reader) == "c")
    }

    // MARK: The end

    @Test func closingCancelsAnElementThatIsAwaited() async throws {
        let elements = EndlessWait()
        let reader = UploadStreamReader(UploadStream(elements), length: nil)
        var buffer = [UInt8](repeating: 0, count: 1)
        #expect(try buffer.withUnsafeMutableBytes { try reader.read(into: $0) {} } == nil)
        _ = try await elements.asked.when { $0 == 1 }
        reader.close()
        try await elements.ended.wait()
    }

    @Test func closingNotifiesAStreamWhoseElementIsBeingSent() async throws {
        let over = Gate()
        let (elements, continuation) = AsyncStream<Data>.makeStream()
        continuation.onTermination = { _ in over.open() }
        continuation.yield(Data("a".utf8))
        let reader = UploadStreamReader(UploadStream(elements), length: nil)
        #expect(try await read(reader) == "a")
        reader.close()
        try await over.wait()
    }

    @Test func aReaderThatIsReleasedEndsTheIteration() async throws {
        let over = Gate()
        let (elements, continuation) = AsyncStream<Data>.makeStream()
        continuation.onTermination = { _ in over.open() }
        continuation.yield(Data("a".utf8))
        do {
            let reader = UploadStreamReader(UploadStream(elements), length: nil)
            #expect(try await read(reader) == "a")
        }
        try await over.wait()
    }

    @Test func aClosedBodyIsNotComplete() async {
        let reader = reader(CountedElements("a"))
        reader.close()
        #expect(await readFailure(reader)?.isExplicitlyCancelledError == true)
    }

    // MARK: Reading again

    @Test func anUnreadSequenceContinuesAfterRewinding() async throws {
        let reader = reader(CountedElements("ab"))
        var buffer = [UInt8](repeating: 0, count: 1)
        let readable = Gate()
        #expect(try buffer.withUnsafeMutableBytes { try reader.read(into: $0) { readable.open() } } == nil)
        #expect(reader.rewind())
        try await readable.wait()
        #expect(try await reader.readToEnd() == Data("ab".utf8))
    }

    @Test func aSequenceThatWasReadDoesNotRewind() async throws {
        let reader = reader(CountedElements("ab"))
        _ = try await read(reader, 1)
        #expect(!reader.rewind())
    }

    @Test func aSequenceOfAClosureIsMadeAnew() async throws {
        let stream = UploadStream(length: 3) { CountedElements("ab", "c") }
        let reader = UploadStreamReader(stream, length: 3)
        _ = try await read(reader, 1)
        #expect(reader.rewind())
        #expect(try await reader.readToEnd() == Data("abc".utf8))
    }

    @Test func anotherReaderOfASequenceThatWasReadFails() async throws {
        let stream = UploadStream(CountedElements("ab"))
        _ = try await UploadStreamReader(stream, length: nil).readToEnd()
        let error = await readFailure(UploadStreamReader(stream, length: nil))
        #expect(error?.underlyingError as? UploadStreamError == .wasRead)
    }
}
