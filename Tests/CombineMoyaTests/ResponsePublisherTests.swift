#if CombineMoya
import CombineMoya
import Foundation
import MoyaSession
import MoyaTesting
import MoyaTransport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

#if canImport(Combine)
import Combine
#else
import OpenCombine
#endif

/// The publishers of a session's requests.
@Suite(.timeLimit(.minutes(1))) struct ResponsePublisherTests {
    private struct User: Codable, Equatable { let login: String }

    private let queue = DispatchQueue(label: "responses")
    private let url = "https://a.example/user"

    private func session(_ answer: ScriptedTransport.Answer) -> (session: Session, transport: ScriptedTransport) {
        let transport = ScriptedTransport(answer)
        return (Session(startRequestsImmediately: false, transport: transport), transport)
    }

    /// The values of a publisher, all requested at once, until its end.
    private func values<P: Publisher>(
        of publisher: P
    ) async throws -> RequestingSubscriber<P.Output, P.Failure> where P.Output: Sendable {
        let subscriber = RequestingSubscriber<P.Output, P.Failure>()
        publisher.subscribe(subscriber)
        subscriber.request(.unlimited)
        try await subscriber.completion()
        return subscriber
    }

    // MARK: Data

    @Test func aResponseIsPublishedWithItsValue() async throws {
        let (session, _) = session(.response(body: #"{"login":"octocat"}"#))
        let heard = try await values(of: session.request(url).publishDecodable(type: User.self, queue: queue))
        #expect(heard.values.map(\.value) == [User(login: "octocat")])
        #expect(heard.values.first?.response?.statusCode == 200)
        #expect(heard.completionCount == 1)
    }

    @Test func anErrorIsPublishedAsAResponse() async throws {
        let (session, _) = session(.response(404))
        let heard = try await values(of: session.request(url).validate().publishString(queue: queue))
        #expect(heard.values.first?.error?.responseCode == 404)
        #expect(heard.completionCount == 1)
    }

    @Test func resultsNeverFail() async throws {
        let (session, _) = session(.response(body: "no JSON"))
        let heard = try await values(
            of: session.request(url).publishDecodable(type: User.self, queue: queue).result())
        #expect(throws: AFError.self) { try heard.values.first?.get() }
    }

    @Test func valuesFailWithTheErrorOfTheResponse() async throws {
        let (session, _) = session(.response(404))
        let heard = try await values(of: session.request(url).validate().publishData(queue: queue).value())
        #expect(heard.count == 0)
        #expect(heard.error?.responseCode == 404)
    }

    @Test func valuesAreThoseOfTheResponse() async throws {
        let (session, _) = session(.response(body: "zen"))
        let heard = try await values(of: session.request(url).publishString(queue: queue).value())
        #expect(heard.values == ["zen"])
    }

    @Test func methodsWithAnEmptyResponseHaveEitherLabel() async throws {
        let (session, _) = session(.response(body: ""))
        let current = try await values(
            of: session.request(url).publishDecodable(type: Empty.self, queue: queue, emptyRequestMethods: [.get]))
        #expect(current.values.first?.error == nil)
        let other = try await values(
            of: session.request(url).publishDecodable(type: Empty.self, queue: queue, emptyResponseMethods: [.get]))
        #expect(other.values.first?.error == nil)
        let neither = try await values(of: session.request(url).publishDecodable(type: Empty.self, queue: queue))
        #expect(neither.values.first?.error != nil)
    }

    @Test func anUnserializedBodyIsPublishedAsItArrived() async throws {
        let (session, _) = session(.response(body: "zen"))
        let heard = try await values(of: session.request(url).publishUnserialized(queue: queue))
        #expect(heard.values.map(\.data) == [Data("zen".utf8)])
    }

    @Test func aRequestStartsWithTheFirstDemand() async throws {
        let (session, transport) = session(.response(body: "zen"))
        let subscriber = RequestingSubscriber<AFDataResponse<String>, Never>()
        session.request(url).publishString(queue: queue).subscribe(subscriber)
        #expect(transport.requests.isEmpty)
        subscriber.request(.max(1))
        try await subscriber.completion()
        #expect(transport.requests.count == 1)
    }

    @Test func cancellingASubscriptionCancelsItsRequest() async throws {
        let (session, transport) = session(.silence)
        let request = session.request(url)
        let ended = Gate()
        request.response(queue: queue) { _ in ended.open() }
        let subscription = request.publishData(queue: queue).sink { _ in }
        try await transport.waitUntil { $0.count == 1 }
        subscription.cancel()
        try await ended.wait()
        #expect(request.isCancelled)
    }

    @Test func cancellingASubscriptionBeforeItsFirstDemandCancelsItsRequest() {
        let (session, _) = session(.silence)
        let request = session.request(url)
        let subscriber = RequestingSubscriber<AFDataResponse<Data>, Never>()
        request.publishData(queue: queue).subscribe(subscriber)
        subscriber.cancel()
        #expect(request.isCancelled)
    }

    // MARK: Downloads

    @Test func aDownloadIsPublishedWithItsFile() async throws {
        let (session, _) = session(.response(body: "bytes"))
        let heard = try await values(of: session.download(url).publishURL(queue: queue).value())
        let file = try #require(heard.values.first)
        #expect(try Data(contentsOf: file) == Data("bytes".utf8))
        try FileManager.default.removeItem(at: file)
    }

    @Test func aDownloadIsPublishedWithItsValue() async throws {
        let (session, _) = session(.response(body: #"{"login":"octocat"}"#))
        let heard = try await values(of: session.download(url).publishDecodable(type: User.self, queue: queue))
        #expect(heard.values.map(\.value) == [User(login: "octocat")])
        for response in heard.values { try response.fileURL.map(FileManager.default.removeItem) }
    }

    @Test func methodsOfADownloadWithAnEmptyResponseHaveEitherLabel() async throws {
        let (session, _) = session(.response(body: ""))
        let current = try await values(
            of: session.download(url).publishDecodable(type: Empty.self, queue: queue, emptyRequestMethods: [.get]))
        let other = try await values(
            of: session.download(url).publishDecodable(type: Empty.self, queue: queue, emptyResponseMethods: [.get]))
        for response in current.values + other.values {
            #expect(response.error == nil)
            try response.fileURL.map(FileManager.default.removeItem)
        }
    }

    // MARK: Streams

    @Test func aStreamIsPublishedInPartsAndThenItsEnd() async throws {
        let (session, _) = session(.steps(.head(), .chunk("a"), .chunk("b")))
        let heard = try await values(of: session.streamRequest(url).publishString(queue: queue))
        #expect(heard.values.compactMap(\.value) == ["a", "b"])
        #expect(heard.values.last?.completion?.response?.statusCode == 200)
    }

    @Test func aCharacterOfTwoChunksIsPublishedWhole() async throws {
        let bytes = Data("é".utf8)
        let (session, _) = session(.steps(.head(), .chunk(bytes.prefix(1)), .chunk(Data(bytes.suffix(1)))))
        let heard = try await values(of: session.streamRequest(url).publishString(queue: queue).value())
        #expect(heard.values == ["é"])
    }

    @Test func valuesOfAStreamFailWithItsError() async throws {
        let (session, _) = session(
            .steps(.head(), .chunk("a"), .failure(TransportFailure(.truncated, message: "cut"))))
        let heard = try await values(of: session.streamRequest(url).publishData(queue: queue).value())
        #expect(heard.values == [Data("a".utf8)])
        #expect(heard.error != nil)
    }

    @Test func aStreamIsReadAsItsSubscriberRequests() async throws {
        let (session, _) = session(.steps(.head(), .chunk("1"), .chunk("2"), .chunk("3")))
        let subscriber = RequestingSubscriber<Int, AFError>()
        session.streamRequest(url).publishDecodable(type: Int.self, queue: queue).value().subscribe(subscriber)
        subscriber.request(.max(2))
        try await subscriber.until { $0.count == 2 }
        queue.sync {}
        #expect(subscriber.values == [1, 2])
        subscriber.request(.unlimited)
        try await subscriber.completion()
        #expect(subscriber.values == [1, 2, 3])
    }

    @Test func theEndOfAStreamNeedsNoDemand() async throws {
        let (session, _) = session(.steps(.head(), .chunk("1"), .chunk("2")))
        let subscriber = RequestingSubscriber<DataStreamRequest.Stream<Data, AFError>, Never>()
        session.streamRequest(url).publishData(queue: queue).subscribe(subscriber)
        // Two chunks, and the part that says how the body ended.
        subscriber.request(.max(3))
        try await subscriber.completion()
        #expect(subscriber.count == 3)
    }

    @Test func cancellingASubscriptionCancelsItsStream() async throws {
        let (session, transport) = session(.steps(.head(), .chunk("a"), .silence))
        let request = session.streamRequest(url)
        let isOpen = Gate()
        let subscription = request.publishData(queue: queue).sink { _ in isOpen.open() }
        try await isOpen.wait()
        subscription.cancel()
        try await transport.waitUntil { $0.first?.isCancelled == true }
        #expect(request.isCancelled)
    }
}
#endif
