import Foundation
import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// One call on its way through the layers, with all that it needs of its provider, and not the provider, whose release
/// is to end the call.
struct Journey: Sendable {
    /// Stubs an attempt in a provider's own way.
    typealias Stubbing = @Sendable (ProviderCall, URLRequest) -> Void

    /// As it was given to the provider.
    let target: any TargetType
    let endpoint: Endpoint
    let behavior: StubBehavior
    let session: Session
    let plugins: [any PluginType]
    let composition: Composition
    let deadlines: Deadlines
    let number: UInt64
    let timeline: Timeline
    let pending: PendingRequest
    /// `nil` for the usual way.
    let stubbing: Stubbing?
    /// Where progress is told; `nil` for the main queue.
    var queue: DispatchQueue?
    /// Told as the bytes of each attempt move.
    var progress: SendableProgressBlock?

    /// Makes the call, and returns how it ends.
    func run() async -> Result<Response, MoyaError> {
        guard let total = deadlines.total else { return await pass() }
        return await DeadlineRace.run(
            within: total - timeline.now, by: timeline, orEndWith: { overdue(total, "total") }, { await pass() })
    }

    private func pass() async -> Result<Response, MoyaError> {
        guard let answer = await pending.value, !_Concurrency.Task.isCancelled else {
            let result = Result<Response, MoyaError>.failure(.cancelled)
            for plugin in plugins { plugin.didReceive(result, target: target) }
            return plugins.process(result, target: target)
        }
        do throws(MoyaError) {
            var call = Call(
                target: target, task: endpoint.task, request: try answer.get(), deadlines: deadlines,
                number: number, timeline: timeline)
            call.plugins = PluginContext(plugins: plugins, target: target, session: session)
            let next = Next(layers: composition.layers) { call throws(MoyaError) in try await send(call) }
            do throws(MoyaError) {
                return .success(try await next(call))
            } catch {
                return .failure(error)
            }
        } catch {
            return plugins.process(.failure(error), target: target)
        }
    }

    /// Sends one attempt.
    private func send(_ call: Call) async throws(MoyaError) -> Response {
        if let bound = deadlines.attempt, bound <= .zero { throw overdue(bound, "attempt") }
        let attempt = ProviderCall(
            attemptAt: target, plugins: composition.placesPlugins ? [] : plugins, queue: queue, progress: progress,
            timeouts: timeouts, impending: call.impending)
        let timer = deadlines.attempt.map { expire(attempt, after: $0) }
        defer { timer?.cancel() }
        await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in begin(attempt, call, continuation) }
        } onCancel: {
            attempt.cancel(because: reasonOfCancellation)
        }
        return try attempt.awaitedResult().get()
    }

    private func begin(
        _ attempt: ProviderCall, _ call: Call, _ continuation: UnsafeContinuation<Void, Never>
    ) {
        guard attempt.resume(continuation), let request = attempt.take(.success(call.request)) else { return }
        if !behavior.isStub {
            attempt.send(request, endpoint.task, in: session)
        } else if let stubbing {
            stubbing(attempt, request)
        } else {
            attempt.stub(request, as: behavior, with: endpoint, in: session)
        }
    }

    private func expire(_ attempt: ProviderCall, after bound: Duration) -> _Concurrency.Task<Void, Never> {
        _Concurrency.Task {
            guard (try? await timeline.sleep(for: bound)) != nil else { return }
            attempt.cancel(because: overdue(bound, "attempt"))
        }
    }

    /// What the session bounds an attempt by, in place of its own bounds.
    private var timeouts: RequestTimeouts {
        var timeouts = deadlines
        timeouts.total = deadlines.total.map { max($0 - timeline.now, .milliseconds(1)) }
        return timeouts
    }

    /// The total deadline, once it has passed: what ends the call then cancels its task.
    private var reasonOfCancellation: MoyaError? {
        guard let total = deadlines.total, total <= timeline.now else { return nil }
        return overdue(total, "total")
    }

    private func overdue(_ bound: Duration, _ name: String) -> MoyaError {
        .timedOut(after: bound, of: name, url: URL(string: endpoint.url))
    }
}
