import MoyaTransport

/// Awaits the value of a request whose response is in memory.
///
/// Making the task starts the request, if its session starts requests automatically. The value may be awaited any
/// number of times.
public struct DataTask<Value: Sendable>: Sendable {
    private let awaited: AwaitedResponse<AFDataResponse<Value>>

    init(
        _ request: DataRequest, cancelsAutomatically: Bool, _ start: (SharedResult<AFDataResponse<Value>>) -> Void
    ) {
        awaited = AwaitedResponse(request, cancelsAutomatically: cancelsAutomatically, start)
    }

    /// The response, when the request has ended.
    public var response: AFDataResponse<Value> { get async { await awaited.response } }

    /// The value or the error, when the request has ended.
    public var result: Result<Value, SessionError> { get async { await response.result } }

    /// The value, when the request has ended.
    ///
    /// - Throws: A ``SessionError``.
    public var value: Value { get async throws { try await result.get() } }

    /// Cancels the request.
    public func cancel() { awaited.request.cancel() }

    /// Suspends the request.
    public func suspend() { awaited.request.suspend() }

    /// Starts or resumes the request.
    public func resume() { awaited.request.resume() }
}

/// Awaits the value of a request whose response is in a file.
///
/// Making the task starts the request, if its session starts requests automatically. The value may be awaited any
/// number of times.
public struct DownloadTask<Value: Sendable>: Sendable {
    private let awaited: AwaitedResponse<AFDownloadResponse<Value>>

    init(
        _ request: DownloadRequest, cancelsAutomatically: Bool,
        _ start: (SharedResult<AFDownloadResponse<Value>>) -> Void
    ) {
        awaited = AwaitedResponse(request, cancelsAutomatically: cancelsAutomatically, start)
    }

    /// The response, when the request has ended.
    public var response: AFDownloadResponse<Value> { get async { await awaited.response } }

    /// The value or the error, when the request has ended.
    public var result: Result<Value, SessionError> { get async { await response.result } }

    /// The value, when the request has ended.
    ///
    /// - Throws: A ``SessionError``.
    public var value: Value { get async throws { try await result.get() } }

    /// Cancels the request.
    public func cancel() { awaited.request.cancel() }

    /// Suspends the request.
    public func suspend() { awaited.request.suspend() }

    /// Starts or resumes the request.
    public func resume() { awaited.request.resume() }
}

/// A request and the response for its awaiting tasks.
private struct AwaitedResponse<Response: Sendable>: Sendable {
    let request: Request
    private let cancelsAutomatically: Bool
    private let result = SharedResult<Response>()

    init(_ request: Request, cancelsAutomatically: Bool, _ start: (SharedResult<Response>) -> Void) {
        self.request = request
        self.cancelsAutomatically = cancelsAutomatically
        start(result)
    }

    var response: Response {
        get async {
            await withTaskCancellationHandler {
                await result.value
            } onCancel: {
                if cancelsAutomatically { request.cancel() }
            }
        }
    }
}

/// A value that is set once, and awaited by any number of tasks.
final class SharedResult<Value: Sendable>: Sendable {
    private enum State {
        case awaited([CheckedContinuation<Value, Never>])
        case set(Value)
    }

    private let state = Lock(State.awaited([]))

    /// Sets the value and resumes the waiters; further values are ignored.
    func set(_ value: Value) {
        let waiting = state.withLock { state in
            guard case .awaited(let waiting) = state else { return [CheckedContinuation<Value, Never>]() }
            state = .set(value)
            return waiting
        }
        for continuation in waiting { continuation.resume(returning: value) }
    }

    var value: Value {
        get async {
            await withCheckedContinuation { continuation in
                let known = state.withLock { state -> Value? in
                    switch state {
                    case .set(let value): return value
                    case .awaited(let waiting):
                        state = .awaited(waiting + [continuation])
                        return nil
                    }
                }
                if let known { continuation.resume(returning: known) }
            }
        }
    }
}
