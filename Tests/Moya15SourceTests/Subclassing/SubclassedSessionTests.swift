#if TaskAlias
import Foundation
import Moya
import MoyaSession
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

class SpyingSession: Session {
    var calledMethods: [String] = []

    override func request(_ convertible: URLRequestConvertible, interceptor: RequestInterceptor? = nil) -> DataRequest {
        calledMethods.append("request")
        return super.request(convertible, interceptor: interceptor)
    }

    override func upload(
        multipartFormData: RequestMultipartFormData, with request: URLRequestConvertible,
        usingThreshold encodingMemoryThreshold: UInt64 = RequestMultipartFormData.encodingMemoryThreshold,
        interceptor: RequestInterceptor? = nil, fileManager: FileManager = .default
    ) -> UploadRequest {
        calledMethods.append("upload")
        return super.upload(
            multipartFormData: multipartFormData, with: request, usingThreshold: encodingMemoryThreshold,
            interceptor: interceptor, fileManager: fileManager)
    }

    override func download(
        _ convertible: URLRequestConvertible, interceptor: RequestInterceptor? = nil,
        to destination: DownloadRequest.Destination? = nil
    ) -> DownloadRequest {
        calledMethods.append("download")
        return super.download(convertible, interceptor: interceptor, to: destination)
    }
}

/// An interceptor of the app's: a class with state that signs requests and retries once.
final class TokenInterceptor: RequestInterceptor {
    var token = "first"
    private(set) var retries = 0
    private let limit = 1
    private let queue = DispatchQueue(label: "token")

    func adapt(
        _ urlRequest: URLRequest, for session: Session, completion: @escaping (Result<URLRequest, Error>) -> Void
    ) {
        var urlRequest = urlRequest
        urlRequest.setValue("Bearer " + token, forHTTPHeaderField: "Authorization")
        urlRequest.headers.add(.accept("text/plain"))
        completion(.success(urlRequest))
    }

    func retry(
        _ request: Request, for session: Session, dueTo error: Error, completion: @escaping (RetryResult) -> Void
    ) {
        guard let statusCode = request.response?.statusCode, statusCode == 401, request.retryCount < limit else {
            return completion(.doNotRetryWithError(error))
        }
        queue.async {
            self.token = "second"
            self.retries += 1
            completion(.retry)
        }
    }
}

enum Storage: TargetType {
    case upload(Data)
    case get
    case download(to: URL)
    var baseURL: URL { URL(string: "https://storage.example.com")! }
    var path: String { "" }
    var method: Moya.Method { if case .upload = self { return .post } else { return .get } }
    var task: Task {
        switch self {
        case .upload(let data):
            return .uploadMultipart([
                MultipartFormData(
                    provider: .data(data), name: "file", fileName: "f.bin", mimeType: "application/octet-stream")
            ])
        case .get: return .requestPlain
        case .download(let url):
            return .downloadDestination { _, _ in (url, [.removePreviousFile, .createIntermediateDirectories]) }
        }
    }
    var validationType: ValidationType { .successCodes }
    var headers: [String: String]? { nil }
}

@Suite struct SubclassedSessionTests {
    private let queue = DispatchQueue(label: "callbacks")

    private func end(_ provider: MoyaProvider<Storage>, _ target: Storage) async -> Result<Moya.Response, MoyaError> {
        await withCheckedContinuation { continuation in
            provider.request(target, callbackQueue: queue) { continuation.resume(returning: $0) }
        }
    }

    @Test func overriddenRequestIsUsed() async throws {
        let session = SpyingSession(startRequestsImmediately: false, transport: AnsweringTransport())
        let provider = MoyaProvider<Storage>(session: session)
        #expect(try await end(provider, .get).get().mapString() == "from the wire")
        #expect(session.calledMethods == ["request"])
    }

    @Test func overriddenUploadIsUsed() async throws {
        let transport = AnsweringTransport()
        let session = SpyingSession(startRequestsImmediately: false, transport: transport)
        _ = try await end(MoyaProvider<Storage>(session: session), .upload(Data("bytes".utf8))).get()
        #expect(session.calledMethods == ["upload"])
        #expect(
            transport.requests.first?.value(for: "Content-Type")?.hasPrefix("multipart/form-data; boundary=") == true)
    }

    @Test func overriddenDownloadIsUsedAndMovesTheFile() async throws {
        let session = SpyingSession(startRequestsImmediately: false, transport: AnsweringTransport())
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
            .appendingPathComponent("f.txt")
        defer { try? FileManager.default.removeItem(at: file.deletingLastPathComponent()) }
        _ = try await end(MoyaProvider<Storage>(session: session), .download(to: file)).get()
        #expect(session.calledMethods == ["download"])
        #expect(try String(contentsOf: file, encoding: .utf8) == "from the wire")
    }

    @Test func interceptorSignsRequests() async throws {
        let transport = AnsweringTransport()
        let session = Session(startRequestsImmediately: false, interceptor: TokenInterceptor(), transport: transport)
        _ = try await end(MoyaProvider<Storage>(session: session), .get).get()
        #expect(transport.requests.first?.value(for: "Authorization") == "Bearer first")
        #expect(transport.requests.first?.value(for: "Accept") == "text/plain")
    }

    @Test func interceptorRetriesOnceWithANewToken() async {
        let transport = AnsweringTransport(status: 401)
        let interceptor = TokenInterceptor()
        let session = Session(startRequestsImmediately: false, interceptor: interceptor, transport: transport)
        let result = await end(MoyaProvider<Storage>(session: session), .get)
        #expect(transport.requests.map { $0.value(for: "Authorization") } == ["Bearer first", "Bearer second"])
        #expect(interceptor.retries == 1)
        guard case .failure(.underlying(let error, let response)) = result else { Issue.record("\(result)"); return }
        #expect(response?.statusCode == 401)
        #expect(error.asAFError?.isRequestRetryError == true)
    }

    @Test func sessionIsUsedByItself() async throws {
        let session = Session(transport: AnsweringTransport())
        let data: Data? = await withCheckedContinuation { continuation in
            session.request(
                "https://example.com/get", method: .post, parameters: ["a": 1], encoding: JSONEncoding.default,
                headers: ["X": "y"]
            )
            .validate(statusCode: 200..<300)
            .response(queue: queue) { continuation.resume(returning: $0.data) }
        }
        #expect(data == Data("from the wire".utf8))
    }

    @Test func configurationOfTheAppsIsKept() {
        let configuration = URLSessionConfiguration.default
        configuration.headers = .default
        configuration.timeoutIntervalForRequest = 20
        configuration.requestCachePolicy = .useProtocolCachePolicy
        let provider = MoyaProvider<Storage>(
            session: Session(configuration: configuration, startRequestsImmediately: false))
        #expect(provider.session.sessionConfiguration.timeoutIntervalForRequest == 20)
        provider.session.cancelAllRequests()
    }

    @Test func trustManagerMayBeSubclassed() throws {
        class AnyHost: ServerTrustManager {
            override func serverTrustEvaluator(forHost host: String) throws -> ServerTrustEvaluating? {
                return DisabledTrustEvaluator()
            }
        }
        let manager = AnyHost(allHostsMustBeEvaluated: false, evaluators: [:])
        #expect(try manager.serverTrustEvaluator(forHost: "anything") is DisabledTrustEvaluator)
    }
}
#endif
