#if TaskAlias
import Foundation
import Moya
import MoyaSession
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The interceptor of half of all apps: it asks the task for the status code.
final class StatusInterceptor: RequestInterceptor {
    private var token = "old"
    var log: [String] = []

    func adapt(
        _ urlRequest: URLRequest, for session: Session, completion: @escaping (Result<URLRequest, Error>) -> Void
    ) {
        var urlRequest = urlRequest
        urlRequest.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
        completion(.success(urlRequest))
    }

    func retry(
        _ request: Request, for session: Session, dueTo error: Error, completion: @escaping (RetryResult) -> Void
    ) {
        guard let response = request.task?.response as? HTTPURLResponse, response.statusCode == 401 else {
            return completion(.doNotRetryWithError(error))
        }
        guard request.retryCount < 1, let url = request.task?.originalRequest?.url else {
            return completion(.doNotRetry)
        }
        log.append(url.path)
        token = "new"
        completion(.retry)
    }
}

@Suite struct RequestTaskSourceTests {
    @Test func interceptorReadsTheStatusOfTheTask() async throws {
        let interceptor = StatusInterceptor()
        let transport = AnsweringTransport(status: 401)
        let session = Session(startRequestsImmediately: false, interceptor: interceptor, transport: transport)
        let provider = MoyaProvider<GitHub>(session: session)
        let result: Result<Moya.Response, MoyaError> = await withCheckedContinuation { continuation in
            provider.request(.zen) { continuation.resume(returning: $0) }
        }
        guard case .failure(let error) = result else { Issue.record("\(result)"); return }
        #expect(error.response?.statusCode == 401)
        #expect(interceptor.log == ["/zen"])
        #expect(transport.requests.map { $0.value(for: "Authorization") } == ["Bearer old", "Bearer new"])
    }
}
#endif
