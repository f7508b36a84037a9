import Foundation
import MoyaTransport
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct DataResponseTests {
    private struct Failed: Error, Equatable { var name: String }

    private static func data(_ result: Result<Int, Failed>) -> DataResponse<Int, Failed> {
        DataResponse(
            request: .to("http://a.example/"), response: nil, data: Data("body".utf8),
            metrics: TransportMetrics(total: 2), serializationDuration: 3, result: result)
    }

    private static func download(_ result: Result<Int, Failed>) -> DownloadResponse<Int, Failed> {
        DownloadResponse(
            request: .to("http://a.example/"), response: nil, fileURL: URL(fileURLWithPath: "/tmp/a"),
            resumeData: Data("resume".utf8), metrics: TransportMetrics(total: 2), serializationDuration: 3,
            result: result)
    }

    @Test func aSuccessHasAValueAndNoError() {
        #expect(Self.data(.success(1)).value == 1 && Self.data(.success(1)).error == nil)
        #expect(Self.download(.success(1)).value == 1 && Self.download(.success(1)).error == nil)
    }

    @Test func aFailureHasAnErrorAndNoValue() {
        let failure = Result<Int, Failed>.failure(Failed(name: "a"))
        #expect(Self.data(failure).value == nil && Self.data(failure).error == Failed(name: "a"))
        #expect(Self.download(failure).value == nil && Self.download(failure).error == Failed(name: "a"))
    }

    @Test func aValueIsChanged() {
        #expect(Self.data(.success(1)).map { "\($0)" }.value == "1")
        #expect(Self.download(.success(1)).map { "\($0)" }.value == "1")
        #expect(Self.data(.failure(Failed(name: "a"))).map { "\($0)" }.error == Failed(name: "a"))
    }

    @Test func anErrorOfTheTransformationFailsTheResponse() {
        #expect(
            Self.data(.success(1)).tryMap { _ -> Int in throw Failed(name: "b") }.error as? Failed == Failed(name: "b"))
        #expect(
            Self.download(.success(1)).tryMap { _ -> Int in throw Failed(name: "b") }.error as? Failed
                == Failed(name: "b"))
        #expect(Self.data(.success(1)).tryMap { $0 + 1 }.value == 2)
        #expect(Self.data(.failure(Failed(name: "a"))).tryMap { $0 }.error as? Failed == Failed(name: "a"))
    }

    @Test func anErrorIsChanged() {
        let failure = Result<Int, Failed>.failure(Failed(name: "a"))
        #expect(Self.data(failure).mapError { Failed(name: $0.name + "b") }.error == Failed(name: "ab"))
        #expect(Self.download(failure).mapError { Failed(name: $0.name + "b") }.error == Failed(name: "ab"))
        #expect(Self.data(.success(1)).mapError { Failed(name: $0.name + "b") }.value == 1)
    }

    @Test func anErrorOfTheTransformationReplacesTheError() {
        let failure = Result<Int, Failed>.failure(Failed(name: "a"))
        let fails: (Failed) throws -> Failed = { _ in throw Failed(name: "c") }
        #expect(Self.data(failure).tryMapError(fails).error as? Failed == Failed(name: "c"))
        #expect(Self.download(failure).tryMapError(fails).error as? Failed == Failed(name: "c"))
        #expect(Self.data(failure).tryMapError { $0 }.error as? Failed == Failed(name: "a"))
    }

    @Test func otherPropertiesAreKept() {
        let data = Self.data(.success(1)).map { "\($0)" }
        #expect(data.request?.url?.host == "a.example" && data.data == Data("body".utf8))
        #expect(data.metrics?.total == 2 && data.serializationDuration == 3)
        let download = Self.download(.success(1)).map { "\($0)" }
        #expect(download.request?.url?.host == "a.example" && download.fileURL?.path == "/tmp/a")
        #expect(download.metrics?.total == 2 && download.serializationDuration == 3)
        #expect(download.resumeData == Data("resume".utf8))
    }
}
