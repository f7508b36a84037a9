import Foundation
import Moya
import MoyaSession
import MoyaTesting

extension Setting {
    /// Status codes that no server sends, among those of responses that may be empty.
    static let serialization: [Setting] = [
        Setting("DataRequest.responseData#emptyResponseCodes") { (code: Int) in
            await received { $0.responseData(emptyResponseCodes: [code]) { _ in } }
        },
        Setting("DataRequest.responseString#emptyResponseCodes") { (code: Int) in
            await received { $0.responseString(emptyResponseCodes: [code]) { _ in } }
        },
        Setting("DataRequest.responseDecodable#emptyResponseCodes") { (code: Int) in
            await received { $0.responseDecodable(of: Empty.self, emptyResponseCodes: [code]) { _ in } }
        },
        Setting("DataResponseSerializerProtocol.data#emptyResponseCodes") { (code: Int) in
            await received { $0.response(responseSerializer: .data(emptyResponseCodes: [code])) { _ in } }
        },
        Setting("DataResponseSerializerProtocol.string#emptyResponseCodes") { (code: Int) in
            await received { $0.response(responseSerializer: .string(emptyResponseCodes: [code])) { _ in } }
        },
        Setting("DataResponseSerializerProtocol.decodable#emptyResponseCodes") { (code: Int) in
            await received {
                $0.response(responseSerializer: .decodable(of: Empty.self, emptyResponseCodes: [code])) { _ in }
            }
        },
        Setting("DataRequest.responseJSON#emptyResponseCodes") { (code: Int) in
            await received { olderHandlers.addJSONHandler($0, code) }
        },
        Setting("DataRequest.serializingData#emptyResponseCodes") { (code: Int) in
            await received { _ = $0.serializingData(emptyResponseCodes: [code]) }
        },
        Setting("DataRequest.serializingString#emptyResponseCodes") { (code: Int) in
            await received { _ = $0.serializingString(emptyResponseCodes: [code]) }
        },
        Setting("DataRequest.serializingDecodable#emptyResponseCodes") { (code: Int) in
            await received { _ = $0.serializingDecodable(Empty.self, emptyResponseCodes: [code]) }
        },
        Setting("DataResponseSerializer.init#emptyResponseCodes") { (code: Int) in
            _ = try? DataResponseSerializer(emptyResponseCodes: [code])
                .serialize(request: nil, response: nil, data: nil, error: nil)
        },
        Setting("StringResponseSerializer.init#emptyResponseCodes") { (code: Int) in
            _ = try? StringResponseSerializer(emptyResponseCodes: [code])
                .serialize(request: nil, response: nil, data: nil, error: nil)
        },
        Setting("DecodableResponseSerializer.init#emptyResponseCodes") { (code: Int) in
            _ = try? DecodableResponseSerializer<Empty>(emptyResponseCodes: [code])
                .serialize(request: nil, response: nil, data: nil, error: nil)
        },
        Setting("ResponseSerializer.emptyResponseCodes") { (code: Int) in
            await received {
                $0.response(responseSerializer: OwnSerializer(emptyResponseCodes: [code])) { _ in }
            }
        },
        Setting("JSONResponseSerializer.init#emptyResponseCodes") { (code: Int) in olderHandlers.makeSerializer(code) },
        Setting("DownloadRequest.responseData#emptyResponseCodes") { (code: Int) in
            await downloaded { $0.responseData(emptyResponseCodes: [code]) { _ in } }
        },
        Setting("DownloadRequest.responseJSON#emptyResponseCodes") { (code: Int) in
            await downloaded { olderHandlers.addJSONHandler($0, code) }
        },
        Setting("DownloadRequest.responseString#emptyResponseCodes") { (code: Int) in
            await downloaded { $0.responseString(emptyResponseCodes: [code]) { _ in } }
        },
        Setting("DownloadRequest.responseDecodable#emptyResponseCodes") { (code: Int) in
            await downloaded { $0.responseDecodable(of: Empty.self, emptyResponseCodes: [code]) { _ in } }
        },
        Setting("DownloadRequest.serializingData#emptyResponseCodes") { (code: Int) in
            await downloaded { _ = $0.serializingData(emptyResponseCodes: [code]) }
        },
        Setting("DownloadRequest.serializingString#emptyResponseCodes") { (code: Int) in
            await downloaded { _ = $0.serializingString(emptyResponseCodes: [code]) }
        },
        Setting("DownloadRequest.serializingDecodable#emptyResponseCodes") { (code: Int) in
            await downloaded { _ = $0.serializingDecodable(Empty.self, emptyResponseCodes: [code]) }
        },
    ]

    private static func received(_ addHandler: (DataRequest) -> Void) async {
        let session = Session(transport: ScriptedTransport(.response(204)))
        let request = session.request("http://a.example/")
        addHandler(request)
        await finish(session, request)
    }

    private static func downloaded(_ addHandler: (DownloadRequest) -> Void) async {
        let session = Session(transport: ScriptedTransport(.response(204)))
        let request = session.download("http://a.example/")
        addHandler(request)
        let url = await request.serializingDownloadedFileURL().response.fileURL
        if let url { try? FileManager.default.removeItem(at: url) }
        withExtendedLifetime(session) {}
    }

    private static var olderHandlers: any OlderHandlers { OlderHandlersOfRequests() }
}

/// Calls deprecated functions where a call produces no warning.
private protocol OlderHandlers {
    func addJSONHandler(_ request: DataRequest, _ code: Int)
    func addJSONHandler(_ request: DownloadRequest, _ code: Int)
    func makeSerializer(_ code: Int)
}

private struct OlderHandlersOfRequests: OlderHandlers {}

extension OlderHandlersOfRequests {
    @available(*, deprecated) func addJSONHandler(_ request: DataRequest, _ code: Int) {
        request.responseJSON(emptyResponseCodes: [code]) { _ in }
    }

    @available(*, deprecated) func addJSONHandler(_ request: DownloadRequest, _ code: Int) {
        request.responseJSON(emptyResponseCodes: [code]) { _ in }
    }

    @available(*, deprecated) func makeSerializer(_ code: Int) {
        _ = try? JSONResponseSerializer(emptyResponseCodes: [code])
            .serialize(request: nil, response: nil, data: nil, error: nil)
    }
}

/// A serializer of an app's own.
private struct OwnSerializer: ResponseSerializer {
    let emptyResponseCodes: Set<Int>

    func serialize(
        request: URLRequest?, response: HTTPURLResponse?, data: Data?, error: (any Error)?
    ) throws -> String? {
        emptyResponseCodes.contains(response?.statusCode ?? 0) ? nil : data.map { String(decoding: $0, as: UTF8.self) }
    }
}
