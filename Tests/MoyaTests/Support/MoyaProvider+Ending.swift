import Foundation
import Moya

extension MoyaProvider {
    /// The end of a call made with a completion.
    func end(
        of target: Target, on queue: DispatchQueue? = nil, progress: SendableProgressBlock? = nil
    ) async -> Result<Response, MoyaError> {
        await withCheckedContinuation { continuation in
            request(target, callbackQueue: queue, progress: progress) { continuation.resume(returning: $0) }
        }
    }
}

extension Result where Success == Response, Failure == MoyaError {
    var response: Response? { try? get() }

    var error: MoyaError? { if case .failure(let error) = self { error } else { nil } }

    /// The text of the body.
    var text: String? { response.map { String(decoding: $0.data, as: UTF8.self) } }

    /// `true` if the call ended as cancelled ones do: `NSURLErrorDomain` -999 inside `.underlying`, with no response.
    var isCancelled: Bool {
        guard case .failure(.underlying(let error, nil)) = self else { return false }
        return (error as NSError).domain == NSURLErrorDomain && (error as NSError).code == NSURLErrorCancelled
            && (error.asAFError?.isExplicitlyCancelledError ?? false)
    }
}
