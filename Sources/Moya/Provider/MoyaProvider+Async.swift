public import Foundation
import MoyaSession

extension MoyaProvider {
    /// Calls a target and returns its response.
    ///
    /// Cancelling the Swift task cancels the call. The plugins' `didReceive` and `process` run in the task that awaits.
    ///
    /// - Throws: `MoyaError`; for a cancelled call, one whose underlying error is `NSURLErrorDomain` -999.
    public func request(_ target: Target) async throws(MoyaError) -> Response {
        try await result(of: target).get()
    }

    /// Calls a target and decodes the body of its response.
    ///
    /// A status code outside 200...299 is no value: it throws `MoyaError.statusCode`, unless the target's own
    /// `validationType` has judged the response before.
    ///
    /// - Parameters:
    ///   - target: What is called.
    ///   - type: What the body holds.
    ///   - keyPath: Where in the body the value is, by keys with dots between them; the whole body when `nil`.
    ///   - decoder: Decodes the value.
    ///   - failsOnEmptyData: Whether an empty body is an error, rather than an empty object.
    /// - Throws: `MoyaError`.
    public func request<D: Decodable & Sendable>(
        _ target: Target,
        as type: D.Type,
        atKeyPath keyPath: String? = nil,
        using decoder: JSONDecoder = JSONDecoder(),
        failsOnEmptyData: Bool = true
    ) async throws(MoyaError) -> D {
        var response = try await request(target)
        if target.validationType == .none { response = try response.filterSuccessfulStatusCodes() }
        return try response.map(type, atKeyPath: keyPath, using: decoder, failsOnEmptyData: failsOnEmptyData)
    }

    private func result(of target: Target) async -> Result<Response, MoyaError> {
        // A subclass's own way of calling, and joining an equal call, are those of the completion form.
        guard !isSubclass, !trackInflights else { return await resultOfCompletionForm(target) }
        let call = ProviderCall(awaited: target, plugins: plugins)
        let ended = await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                guard call.resume(continuation) else { return }
                start(call, target, endpoint(target), stubClosure(target))
            }
        } onCancel: {
            call.cancel()
        }
        return call.result(of: ended)
    }

    private func resultOfCompletionForm(_ target: Target) async -> Result<Response, MoyaError> {
        let token = LateCancellable()
        return await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                token.set(
                    request(target, callbackQueue: .global(), progress: nil) { continuation.resume(returning: $0) })
            }
        } onCancel: {
            token.cancel()
        }
    }
}
