import Foundation
import MoyaTransport
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite(.timeLimit(.minutes(5))) struct DataResponseEventMonitorTests {
    private struct User: Decodable { var name: String }

    /// A logger as apps write it: only the generic callbacks.
    private final class ValueMonitor: EventMonitor {
        let queue = DispatchQueue(label: "values")
        let values = Lock<[String]>([])

        func request<Value>(_ request: DataRequest, didParseResponse response: DataResponse<Value, AFError>) {
            values.withLock { $0.append("data \(Value.self) \(response.error == nil)") }
        }

        func request<Value>(_ request: DownloadRequest, didParseResponse response: DownloadResponse<Value, AFError>) {
            values.withLock { $0.append("download \(Value.self) \(response.error == nil)") }
        }
    }

    /// A logger of bodies and files.
    private final class BodyMonitor: EventMonitor {
        let queue = DispatchQueue(label: "bodies")
        let bodies = Lock<[String]>([])

        func request(_ request: DataRequest, didParseResponse response: AFDataResponse<Data?>) {
            bodies.withLock { $0.append(String(decoding: response.value??.prefix(6) ?? Data(), as: UTF8.self)) }
        }

        func request(_ request: DownloadRequest, didParseResponse response: AFDownloadResponse<URL?>) {
            bodies.withLock { $0.append(response.value??.lastPathComponent ?? "none") }
        }
    }

    private let queue = DispatchQueue(label: "handlers")

    private func session(_ body: String, _ monitor: any EventMonitor) -> Session {
        Session(
            configuration: .ephemeral, eventMonitors: [monitor], transport: StubbedTransport(.response(200, [], body)))
    }

    @Test func genericCallbackReceivesTheValue() async {
        let monitor = ValueMonitor()
        let session = session(#"{"name": "ash"}"#, monitor)
        _ = await session.request("http://a.example/").serializingDecodable(User.self).response
        monitor.queue.sync {}
        #expect(monitor.values.withLock { $0 } == ["data User true"])
    }

    @Test func genericCallbackReceivesTheErrorOfTheSerializer() async {
        let monitor = ValueMonitor()
        let session = session("{}", monitor)
        _ = await session.request("http://a.example/").serializingDecodable(User.self).response
        monitor.queue.sync {}
        #expect(monitor.values.withLock { $0 } == ["data User false"])
    }

    @Test func genericCallbackReceivesTheValueOfADownload() async throws {
        let monitor = ValueMonitor()
        let session = session("text", monitor)
        let response = await session.download("http://a.example/").serializingString().response
        if let url = response.fileURL { try FileManager.default.removeItem(at: url) }
        monitor.queue.sync {}
        #expect(monitor.values.withLock { $0 } == ["download String true"])
    }

    @Test func callbackForTheBodyReceivesTheBodyOnce() async throws {
        let monitor = BodyMonitor()
        let session = session("a text", monitor)
        _ = await session.request("http://a.example/").serializingString().response
        _ = await handedOver { session.request("http://a.example/").response(queue: queue, completionHandler: $0) }
        let download = await session.download("http://a.example/").serializingString().response
        let file = try #require(download.fileURL)
        try FileManager.default.removeItem(at: file)
        monitor.queue.sync {}
        #expect(monitor.bodies.withLock { $0 } == ["a text", "a text", file.lastPathComponent])
    }
}
