import Foundation
import MoyaTransport
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite(.timeLimit(.minutes(5))) struct DataRequestSerializationTests {
    private static let url = "http://a.example/"
    private struct User: Codable, Equatable { var name: String }

    private func request(_ answer: StubbedTransport.Answer, method: String = "GET") -> (Session, DataRequest) {
        let session = Session(configuration: .ephemeral, transport: StubbedTransport(answer))
        return (session, session.request(URLRequest.to(Self.url, method: method)))
    }

    private let queue = DispatchQueue(label: "handlers")

    @Test func dataIsTheBody() async {
        let (session, request) = request(.response(200, [], "hello"))
        let response = await handedOver { request.responseData(queue: queue, completionHandler: $0) }
        #expect(response.value == Data("hello".utf8))
        withExtendedLifetime(session) {}
    }

    @Test func emptyBodyIsAnError() async {
        let (session, request) = request(.response(200))
        let response = await handedOver { request.responseData(queue: queue, completionHandler: $0) }
        guard case .responseSerializationFailed(.inputDataNilOrZeroLength)? = response.error else {
            Issue.record("\(response)"); return
        }
        withExtendedLifetime(session) {}
    }

    @Test(arguments: [(204, "GET"), (205, "GET"), (200, "HEAD")])
    func emptyBodyIsAllowedByStatusOrMethod(status: Int, method: String) async {
        let (session, request) = request(.response(status), method: method)
        let response = await handedOver { request.responseString(queue: queue, completionHandler: $0) }
        #expect(response.value == "")
        withExtendedLifetime(session) {}
    }

    @Test func stringIsDecodedByItsCharset() async {
        let (session, request) = request(.response(200, [("Content-Type", "text/plain; charset=ISO-8859-1")], "é"))
        let response = await handedOver { request.responseString(queue: queue, completionHandler: $0) }
        #expect(response.value == "Ã©")
        withExtendedLifetime(session) {}
    }

    @Test func stringWithoutACharsetIsUTF8WhereItIs() async {
        let (session, request) = request(.response(200, [], "é"))
        let response = await handedOver { request.responseString(queue: queue, completionHandler: $0) }
        #expect(response.value == "é")
        withExtendedLifetime(session) {}
    }

    @Test func bytesThatAreNoTextAreAnError() async {
        let (session, request) = request(.response(200, [], "é"))
        let response = await handedOver {
            request.responseString(queue: queue, encoding: .ascii, completionHandler: $0)
        }
        #expect(response.error?.failedStringEncoding == .ascii)
        withExtendedLifetime(session) {}
    }

    @Test func decodableIsDecoded() async {
        let (session, request) = request(.response(200, [], #"{"name": "ash"}"#))
        let response = await handedOver {
            request.responseDecodable(of: User.self, queue: queue, completionHandler: $0)
        }
        #expect(response.value == User(name: "ash"))
        #expect(response.serializationDuration >= 0 && response.data?.isEmpty == false)
        withExtendedLifetime(session) {}
    }

    @Test func valueThatCannotBeDecodedIsAnErrorWithItsCause() async {
        let (session, request) = request(.response(200, [], "{}"))
        let response = await handedOver {
            request.responseDecodable(of: User.self, queue: queue, completionHandler: $0)
        }
        guard case .responseSerializationFailed(.decodingFailed(let error))? = response.error else {
            Issue.record("\(response)"); return
        }
        #expect(error is DecodingError && response.error?.underlyingError is DecodingError)
        withExtendedLifetime(session) {}
    }

    @Test func emptyResponseHasTheEmptyValueOfItsType() async {
        let (session, request) = request(.response(204))
        let response = await handedOver {
            request.responseDecodable(of: Empty.self, queue: queue, completionHandler: $0)
        }
        #expect(response.value == Empty.value)
        withExtendedLifetime(session) {}
    }

    @Test func emptyResponseOfAnotherTypeIsAnErrorThatNamesIt() async {
        let (session, request) = request(.response(204))
        let response = await handedOver {
            request.responseDecodable(of: User.self, queue: queue, completionHandler: $0)
        }
        guard case .responseSerializationFailed(.invalidEmptyResponse("User"))? = response.error else {
            Issue.record("\(response)"); return
        }
        withExtendedLifetime(session) {}
    }

    @Test func failedRequestKeepsItsError() async {
        let (session, request) = request(.response(500, [], "no"))
        let response = await handedOver { request.validate().responseString(queue: queue, completionHandler: $0) }
        #expect(response.error?.responseCode == 500)
        #expect(response.data == Data("no".utf8))
        withExtendedLifetime(session) {}
    }

    @Test func preprocessorComesFirst() async {
        let (session, request) = request(.response(200, [], ")]}',\n{\"name\": \"ash\"}"))
        let response = await handedOver {
            request.responseDecodable(
                of: User.self, queue: queue, dataPreprocessor: .googleXSSI, completionHandler: $0)
        }
        #expect(response.value?.name == "ash")
        withExtendedLifetime(session) {}
    }

    @Test func shorthandPassesOnItsPreprocessorAndDecoder() async {
        let (session, request) = request(.response(200, [], ")]}',\n{\"name\": \"ash\"}"))
        let response = await handedOver {
            request.response(
                queue: queue,
                responseSerializer: .decodable(
                    of: User.self, dataPreprocessor: .googleXSSI, decoder: JSONDecoder()),
                completionHandler: $0)
        }
        #expect(response.value?.name == "ash")
        withExtendedLifetime(session) {}
    }

    @Test func shorthandPassesOnItsEmptyResponseCodes() async {
        let (session, request) = request(.response(200))
        let data = await handedOver {
            request.response(
                queue: queue, responseSerializer: .data(emptyResponseCodes: [200]), completionHandler: $0)
        }
        let text = await handedOver {
            request.response(
                queue: queue, responseSerializer: .string(emptyResponseCodes: [200]), completionHandler: $0)
        }
        #expect(data.value == Data())
        #expect(text.value == "")
        withExtendedLifetime(session) {}
    }

    private struct Lengths: ResponseSerializer {
        struct Problem: Error {}
        func serialize(
            request: URLRequest?, response: HTTPURLResponse?, data: Data?, error: (any Error)?
        ) throws -> Int {
            guard let data else { throw Problem() }
            return data.count
        }
    }

    @Test func serializerOfAnAppMakesTheValue() async {
        let (session, request) = request(.response(200, [], "hello"))
        let response = await handedOver {
            request.response(queue: queue, responseSerializer: Lengths(), completionHandler: $0)
        }
        #expect(response.value == 5)
        withExtendedLifetime(session) {}
    }

    @Test func errorOfASerializerIsWrapped() async {
        let (session, request) = request(.response(200))
        let response = await handedOver {
            request.response(queue: queue, responseSerializer: Lengths(), completionHandler: $0)
        }
        guard case .responseSerializationFailed(.customSerializationFailed(let error))? = response.error else {
            Issue.record("\(response)"); return
        }
        #expect(error is Lengths.Problem)
        withExtendedLifetime(session) {}
    }

    @Test func handlersOfEveryKindKeepTheirOrder() async {
        let (session, request) = request(.response(200, [], "hello"))
        let order = Recorded<Int>()
        await handedOver { handOver in
            request.responseString(queue: queue) { _ in order.add(0) }
            request.response(queue: queue) { _ in order.add(1) }
            request.responseData(queue: queue) { _ in order.add(2) }
            request.response(queue: queue) { _ in
                order.add(3)
                handOver(())
            }
        }
        #expect(order.all == [0, 1, 2, 3])
        withExtendedLifetime(session) {}
    }

    @Test func handlersComeInOrderOnAConcurrentSerializationQueue() async {
        let concurrent = DispatchQueue(label: "serialization", attributes: .concurrent)
        let session = Session(
            configuration: .ephemeral, startRequestsImmediately: false, serializationQueue: concurrent,
            transport: StubbedTransport(.response(200, [], "a")))
        let request = session.request(Self.url)
        let order = Lock<[Int]>([])
        for number in 0..<200 {
            request.responseString(queue: queue) { _ in order.withLock { $0.append(number) } }
        }
        await handedOver { (handOver: @escaping @Sendable (()) -> Void) in
            request.response(queue: queue) { _ in handOver(()) }
            request.resume()
        }
        #expect(order.value == Array(0..<200))
    }

    @Test func valueIsMadeOnTheSerializationQueue() async {
        let key = DispatchSpecificKey<Bool>()
        let serialization = DispatchQueue(label: "serialization")
        serialization.setSpecific(key: key, value: true)
        struct Place: DataResponseSerializerProtocol {
            let key: DispatchSpecificKey<Bool>
            func serialize(
                request: URLRequest?, response: HTTPURLResponse?, data: Data?, error: (any Error)?
            ) throws -> Bool { DispatchQueue.getSpecific(key: key) == true }
        }
        let session = Session(
            configuration: .ephemeral, serializationQueue: serialization,
            transport: StubbedTransport(.response(200)))
        let response = await handedOver {
            session.request(Self.url).response(
                queue: queue, responseSerializer: Place(key: key), completionHandler: $0)
        }
        #expect(response.value == true)
    }

    private final class TrailingTransport: Transport, TransportExchange {
        func start(_ request: HTTPRequest, delivering sink: any TransportSink) -> any TransportExchange {
            _ = sink.receive(.head(TransportResponseHead(status: 200, fields: [])))
            var bytes = Array("hello".utf8)
            bytes.withUnsafeMutableBytes { _ = sink.receive(.chunk(UnsafeRawBufferPointer($0))) }
            _ = sink.receive(.end(TransportEnd(trailers: [HTTPField(name: "Digest", value: "sum")])))
            return self
        }

        func cancel() {}
        func pause() {}
        func resume() {}
    }

    @Test func trailersComeWithTheValue() async throws {
        let session = Session(configuration: .ephemeral, transport: TrailingTransport())
        let response = await session.request(Self.url).serializingString().response
        #expect(response.value == "hello")
        #expect(response.trailers["Digest"] == "sum")
        let download = await session.download(Self.url).serializingString().response
        if let url = download.fileURL { try FileManager.default.removeItem(at: url) }
        #expect(download.trailers["Digest"] == "sum")
    }

    @Test func monitorIsNotifiedOfEveryHandler() async {
        let recorder = EventRecorder()
        let session = Session(
            configuration: .ephemeral, eventMonitors: [recorder], transport: StubbedTransport(.response(200, [], "a")))
        _ = await handedOver { session.request(Self.url).responseString(queue: queue, completionHandler: $0) }
        #expect(recorder.names.filter { $0 == "didParseDataResponse" }.count == 1)
    }
}
