import Foundation
import MoyaTransport
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite(.timeLimit(.minutes(5))) struct DataTaskTests {
    private static let url = "http://a.example/"
    private struct User: Codable, Equatable { var name: String }

    private func session(_ answer: StubbedTransport.Answer) -> Session {
        Session(configuration: .ephemeral, transport: StubbedTransport(answer))
    }

    @Test func valueIsTheDecodedBody() async throws {
        let session = session(.response(200, [], #"{"name": "ash"}"#))
        #expect(try await session.request(Self.url).serializingDecodable(User.self).value == User(name: "ash"))
        #expect(try await session.request(Self.url).serializingString().value == #"{"name": "ash"}"#)
        #expect(try await session.request(Self.url).serializingData().value.count == 15)
    }

    @Test func responseHasTheStatusAndTheResult() async {
        let session = session(.response(404, [], "none"))
        let response = await session.request(Self.url).serializingString().response
        #expect(response.response?.statusCode == 404 && response.value == "none")
    }

    @Test func resultIsAFailureOfTheRequest() async {
        let session = session(.response(404, [], "none"))
        let result = await session.request(Self.url).validate().serializingString().result
        guard case .failure(let error) = result else { Issue.record("\(result)"); return }
        #expect(error.responseCode == 404)
    }

    @Test func valueMayBeAwaitedByMany() async throws {
        let session = session(.response(200, [], "hello"))
        let task = session.request(Self.url).serializingString()
        async let first = task.value
        async let second = task.value
        #expect(try await [first, second, task.value] == ["hello", "hello", "hello"])
    }

    @Test func cancelledWaiterCancelsTheRequest() async throws {
        let session = session(.silence)
        let request = session.request(Self.url)
        let waiter = Task { try await request.serializingString().value }
        waiter.cancel()
        await #expect(throws: SessionError.self) { try await waiter.value }
        #expect(request.isCancelled)
    }

    @Test func cancelledWaiterDoesNotCancelARequestWithoutAutomaticCancellation() async throws {
        let transport = SteppedTransport()
        let session = Session(configuration: .ephemeral, startRequestsImmediately: false, transport: transport)
        let request = session.request(Self.url).resume()
        let task = request.serializingString(automaticallyCancelling: false)
        let waiter = Task { try await task.value }
        waiter.cancel()
        transport.exchanges[0].respond(200, [], "hello")
        #expect(try await waiter.value == "hello")
    }

    @Test func taskCancelsItsRequest() async {
        let session = session(.silence)
        let task = session.request(Self.url).serializingString()
        task.cancel()
        #expect(await task.response.error?.isExplicitlyCancelledError == true)
    }

    @Test func taskStartsItsRequestWhereTheSessionDoesNot() async throws {
        let session = Session(
            configuration: .ephemeral, startRequestsImmediately: false,
            transport: StubbedTransport(.response(200, [], "hello")))
        let task = session.request(Self.url).serializingString()
        task.resume()
        #expect(try await task.value == "hello")
    }
}
