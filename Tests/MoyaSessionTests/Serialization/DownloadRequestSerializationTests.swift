import Foundation
import MoyaTesting
import MoyaTransport
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite(.timeLimit(.minutes(5))) struct DownloadRequestSerializationTests {
    private static let url = "http://a.example/folder/file.txt"
    private struct User: Codable, Equatable { var name: String }
    private let directory: TestDirectory
    private let queue = DispatchQueue(label: "handlers")

    init() throws { directory = try TestDirectory() }

    private func session(_ answer: StubbedTransport.Answer) -> Session {
        Session(configuration: .ephemeral, transport: StubbedTransport(answer))
    }

    private var destination: DownloadRequest.Destination {
        { [url = directory.url] _, response in
            (url.appendingPathComponent(response.suggestedFilename ?? "none"), [.removePreviousFile])
        }
    }

    @Test func suggestedNameIsTheLastPartOfTheURL() async throws {
        let session = session(.response(200, [], "hello"))
        let url = try await session.download(Self.url, to: destination).serializingDownloadedFileURL().value
        #expect(url.lastPathComponent == "file.txt")
        #expect(try String(contentsOf: url, encoding: .utf8) == "hello")
    }

    @Test func suggestedNameStaysInItsDirectory() async throws {
        let field = ("Content-Disposition", "attachment; filename=\"../../escaped\"")
        let session = session(.response(200, [field], "hello"))
        let url = try await session.download(Self.url, to: destination).serializingDownloadedFileURL().value
        #expect(url.lastPathComponent == "escaped")
        #expect(directory.names == ["escaped"])
    }

    @Test func valuesAreMadeOfTheFile() async throws {
        let session = session(.response(200, [], #"{"name": "ash"}"#))
        #expect(try await session.download(Self.url, to: destination).serializingData().value.count == 15)
        #expect(try await session.download(Self.url, to: destination).serializingString().value.count == 15)
        let user = try await session.download(Self.url, to: destination).serializingDecodable(User.self).value
        #expect(user == User(name: "ash"))
    }

    @Test func handlersAreGivenValues() async {
        let session = session(.response(200, [], #"{"name": "ash"}"#))
        let decoded = await handedOver {
            session.download(Self.url, to: destination).responseDecodable(
                of: User.self, queue: queue, completionHandler: $0)
        }
        #expect(decoded.value == User(name: "ash") && decoded.fileURL?.lastPathComponent == "file.txt")
        let text = await handedOver {
            session.download(Self.url, to: destination).responseString(queue: queue, completionHandler: $0)
        }
        #expect(text.value?.count == 15)
        let url = await handedOver {
            session.download(Self.url, to: destination).responseURL(queue: queue, completionHandler: $0)
        }
        #expect(url.value == url.fileURL)
    }

    @Test func fileThatIsGoneIsAnError() async {
        let session = session(.response(200, [], "hello"))
        let request = session.download(Self.url, to: destination)
        let response = await handedOver { handOver in
            request.onFinish { outcome in
                if let url = outcome.fileURL { try? FileManager.default.removeItem(at: url) }
            }
            request.responseData(queue: queue, completionHandler: handOver)
        }
        guard case .responseSerializationFailed(.inputFileReadFailed)? = response.error else {
            Issue.record("\(response)"); return
        }
    }

    @Test func failedDownloadKeepsItsError() async {
        let session = session(.response(500, [], "no"))
        let response = await session.download(Self.url).validate().serializingString().response
        #expect(response.error?.responseCode == 500)
    }

    private struct Upper: DataPreprocessor {
        func preprocess(_ data: Data) -> Data { Data(String(decoding: data, as: UTF8.self).uppercased().utf8) }
    }

    @Test func awaitedValuesAreMadeOfThePreprocessedFile() async throws {
        let session = session(.response(200, [], #""ash""#))
        let data = session.download(Self.url, to: destination).serializingData(dataPreprocessor: Upper())
        #expect(try await data.value == Data(#""ASH""#.utf8))
        let text = session.download(Self.url, to: destination).serializingString(dataPreprocessor: Upper())
        #expect(try await text.value == #""ASH""#)
        let decoded = session.download(Self.url, to: destination)
            .serializingDecodable(String.self, dataPreprocessor: Upper())
        #expect(try await decoded.value == "ASH")
    }

    @Test func awaitedValuesMayBeEmpty() async throws {
        let session = session(.response(200))
        let byCode = session.download(Self.url, to: destination)
        #expect(try await byCode.serializingData(emptyResponseCodes: [200]).value.isEmpty)
        let byMethod = session.download(Self.url, to: destination)
        #expect(try await byMethod.serializingString(emptyRequestMethods: [.get]).value.isEmpty)
        _ = try await session.download(Self.url, to: destination)
            .serializingDecodable(Empty.self, emptyResponseCodes: [200]).value
        _ = try await session.download(Self.url, to: destination)
            .serializingDecodable(Empty.self, emptyRequestMethods: [.get]).value
    }
}
