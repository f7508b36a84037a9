import Foundation
import Moya
import MoyaSession

extension DataRequest {
    /// Starts the request, and waits for its end.
    func outcome() async -> AFDataResponse<Data?> {
        await withCheckedContinuation { continuation in
            response(queue: .global()) { continuation.resume(returning: $0) }.resume()
        }
    }

    /// Starts the request and waits until the first bytes of its body are here; its end is the value of the task.
    func outcomeOnceUnderWay() async -> _Concurrency.Task<AFDataResponse<Data?>, Never> {
        let (began, continuation) = AsyncStream<Void>.makeStream()
        downloadProgress(queue: .global()) { _ in continuation.yield() }
        let end = _Concurrency.Task {
            let outcome = await outcome()
            continuation.finish()
            return outcome
        }
        for await _ in began { break }
        return end
    }
}
