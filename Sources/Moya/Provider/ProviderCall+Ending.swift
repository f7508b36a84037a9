import Foundation
import MoyaSession
import MoyaTransport

/// Delivers the end of a request to the consumer.
extension ProviderCall {
    // MARK: Awaiting

    /// Starts the call and returns its result; cancelling the task cancels the call.
    ///
    /// - Parameter start: Starts the call; not called in a cancelled task.
    func value(_ start: () -> Void) async -> Result<Response, MoyaError> {
        await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in if park(continuation) { start() } }
            if parent == nil, passesMiddleware { await passInTask() }
        } onCancel: {
            cancel()
        }
        return awaitedResult()
    }

    /// Stores the continuation of the task that awaits the call; `false` if the call was stopped before.
    private func park(_ continuation: UnsafeContinuation<Void, Never>) -> Bool {
        let (isFinished, stopped) = state.withLock { state in
            if !state.isFinished { state.consumer = .task(continuation) }
            return (state.isFinished, state.stopped)
        }
        // A deadline of the call has ended this attempt.
        if isFinished { continuation.resume() } else if let stopped { arrive(.received(.failure(stopped))) }
        return !isFinished && stopped == nil
    }

    /// The result for the resumed task; a cancellation error if the task was cancelled.
    private func awaitedResult() -> Result<Response, MoyaError> {
        if _Concurrency.Task.isCancelled {
            let error = parent?.stopped ?? .cancelled
            state.withLock { $0.stopped = $0.stopped ?? error }
        }
        let (ended, isStopped, bytes) = state.withLock { state in
            let ended = state.ended.take() ?? .received(.failure(.cancelled))
            return (state.replacing(ended), state.stopped != nil, state.bytes)
        }
        let result = outcome(of: ended, bytes)
        // A plugin may have cancelled the task.
        return !isStopped && _Concurrency.Task.isCancelled ? .failure(parent?.stopped ?? .cancelled) : result
    }

    // MARK: Ending

    /// Ends the call on the queue of its consumer.
    ///
    /// - Parameter inline: `true` to end it on the current thread, as for results that are known before anything was
    ///   sent.
    func arrive(_ ended: Ended, inline: Bool = false) { arrive(inline: inline) { _ in ended } }

    /// Ends the call with an end that is made under its lock, if there is one.
    func arrive(inline: Bool = false, _ makeEnded: (inout State) -> Ended?) {
        let (delivery, end) = state.withLock { state -> (Delivery, End?) in
            guard !state.isFinished, let ended = makeEnded(&state) else { return (.inline, nil) }
            var delivery = inline ? .inline : state.deliveryHere
            if case .task = state.consumer { delivery = .inline }
            if case .inline = delivery { return (delivery, state.take(ended)) }
            state.isEnding = true
            // The first end counts.
            if !state.isFinished { state.ended = state.ended ?? ended }
            return (delivery, nil)
        }
        switch delivery {
        case .inline: finish(end, isInline: true)
        case .main, .queue: delivery.pass(self)
        }
    }

    /// Ends the call on the current thread, once.
    private func end(_ ended: Ended) { finish(state.withLock { $0.take(ended) }, isInline: false) }

    private func finish(_ end: End?, isInline: Bool) {
        guard let end else { return }
        // The key is removed before any completion runs, so that a completion may call the same target again.
        coalescing?.remove(self)
        end.timers.total?.cancel()
        end.timers.attempt?.cancel()
        switch end.consumer {
        case .task(nil): break
        case .task: deliverInBatch()
        case .completion(let completion):
            if let ended = end.ended { completion(outcome(of: ended, end.bytes, end.progressBlock)) }
        case .callers(let callers):
            guard let ended = end.ended else { break }
            let result = outcome(of: ended, end.bytes)
            let (reportsEnd, queue) = state.withLock { ($0.reportsEnd, $0.queue) }
            let bytes = reportsEnd ? end.bytes : nil
            var context: ReportContext? = ReportContext(queue: queue, isInline: isInline)
            // Once a caller has to wait for its queue, the following ones come behind it.
            for caller in callers where !caller.finish(with: result, bytes, in: context) { context = nil }
        }
    }

    /// The result for the consumer, after all plugins were notified.
    private func outcome(
        of ended: Ended, _ bytes: EventCount, _ progress: SendableProgressBlock? = nil
    ) -> Result<Response, MoyaError> {
        var result: Result<Response, MoyaError>
        // Each caller of a call without middleware processes the result itself.
        var isProcessed = (coalescing != nil && !passesMiddleware) || !isWhole
        switch ended {
        case .request(let request, let stub):
            let outcome = request.outcome
            if outcome?.location?.isFinal == true { state.withLock { $0.isFinal = true } }
            result = outcome?.result(sample: stub?.delivered) ?? .failure(.cancelled)
            received(result)
        case .received(let known):
            result = known
            received(result)
        case .unreceived(let known): result = known
        case .final(let known):
            result = known
            isProcessed = true
        }
        // Without user code, the call cannot have been stopped since.
        guard !plugins.isEmpty || progress != nil else { return result }
        let wasStopped = stopped != nil
        reportEnd(result, bytes, to: progress)
        let before = stopped
        // An attempt may also be stopped by itself.
        let isStopOfParent = before != nil && parent?.stopped != nil
        if let before, !wasStopped || !isProcessed { result = .failure(before) }
        guard !isProcessed, let target else { return result }
        result = plugins.process(result, target: target)
        if before == nil, let stopped { return .failure(stopped) }
        if isStopOfParent { parent?.didProcess(result) }
        return result
    }

    func received(_ result: Result<Response, MoyaError>) {
        guard let target else { return }
        for plugin in plugins { plugin.didReceive(result, target: target) }
    }

    // MARK: Progress

    /// Records that the end of the call is reported, since a request is made; `false` if no code receives progress.
    @discardableResult
    func willReportProgress() -> Bool {
        let call = parent ?? self
        if call.isWatched { call.state.withLock { $0.reportsEnd = true } }
        return call.isWatched
    }

    func observeProgress(of request: Request, isUpload: Bool) {
        guard willReportProgress() else { return }
        let call = parent ?? self
        let report: @Sendable (Int64, Int64?) -> Void = { call.report($0, of: $1) }
        if isUpload { request.onSentBytes(report) } else { request.onReceivedBytes(report) }
    }

    private func report(_ completed: Int64, of total: Int64?) {
        let (count, delivery, isFirst) = state.withLock { state in
            state.bytes = EventCount(completed: completed, total: total, live: state.bytes.live ?? LiveProgress())
            let (count, delivery) = (state.bytes, state.deliveryHere)
            guard case .inline = delivery else {
                state.progress.append(count)
                return (count, delivery, state.progress.count == 1)
            }
            return (count, delivery, true)
        }
        switch delivery {
        case .inline: notify(of: ProgressResponse(count), isInline: true)
        // One block for each count would wake a thread of the queue for each chunk of a body.
        case .main, .queue: if isFirst { delivery.pass(self) }
        }
    }

    /// Reports the progress of a stub that a subclass left to its superclass.
    func relay(_ event: ProgressResponse) {
        let call = parent ?? self
        if let counted = event.progressObject {
            let total = counted.totalUnitCount < 0 ? nil : counted.totalUnitCount
            call.state.withLock { state in
                state.bytes = EventCount(
                    completed: counted.completedUnitCount, total: total, live: event.live ?? state.bytes.live)
            }
        }
        call.notify(of: event, isInline: true)
    }

    /// Reports progress, unless the call was stopped or has ended since; the event, which changes the live object, is
    /// made only then.
    private func notify(of event: @autoclosure () -> ProgressResponse, isInline: Bool) {
        let (consumer, progress, queue) = state.withLock {
            state -> (Consumer?, SendableProgressBlock?, DispatchQueue?) in
            let isOver = state.isFinished || state.stopped != nil
            return isOver ? (nil, nil, nil) : (state.consumer, state.progressBlock, state.queue)
        }
        switch consumer {
        case nil: break
        case .callers(let callers):
            let (event, context) = (event(), ReportContext(queue: queue, isInline: isInline))
            for caller in callers { caller.report(event, in: context) }
        case .completion, .task: progress?(event())
        }
    }

    private func reportEnd(
        _ result: Result<Response, MoyaError>, _ bytes: EventCount, to progress: SendableProgressBlock?
    ) {
        guard let progress, isWhole, coalescing == nil, state.withLock({ $0.reportsEnd }) else { return }
        progress(ProgressResponse(endOf: result, bytes))
    }
}

extension ProviderCall: RequestEndObserver {
    func didEnd(_ request: Request) {
        arrive { .request(request, $0.stub.take()) }
    }

    func didOpen(_ request: Request, _ outcome: RequestOutcome) {
        let stub = state.withLock { $0.stub.take() }
        arrive(.received(outcome.result(sample: stub?.delivered, body: StreamHandle(request))))
    }
}

extension ProviderCall.Delivery {
    /// Runs a delivery on the queue: at the end of the transport's tick, if there is one, since each block for a sleeping
    /// queue wakes a thread.
    func pass(_ delivery: any DeferredCompletion) {
        let queue: DispatchQueue? = if case .queue(let queue) = self { queue } else { nil }
        if let batch = CompletionBatch.current { return batch.put(delivery, on: queue) }
        (queue ?? .main).async { delivery.deliver() }
    }
}

extension ProviderCall: DeferredCompletion {
    /// Reports the progress that waits; then, if the call has ended, resumes the task or calls the completion.
    func deliver() {
        let (progress, continuation, ended) = state.withLock {
            state -> ([EventCount], UnsafeContinuation<Void, Never>?, Ended?) in
            defer { state.progress = [] }
            guard case .task(let continuation) = state.consumer else {
                // Otherwise the end waits until the closures have run: a caller may leave within its own.
                return (state.progress, nil, state.progress.isEmpty ? state.ended.take() : nil)
            }
            guard state.isFinished else { return (state.progress, nil, nil) }
            state.consumer = .task(nil)
            return ([], continuation, nil)
        }
        for count in progress { notify(of: ProgressResponse(count), isInline: false) }
        continuation?.resume()
        if let ended = ended ?? (progress.isEmpty ? nil : endBehindProgress) { end(ended) }
    }
}

extension ProviderCall {
    /// The end that arrived by the time the progress was reported; `nil` if it is delivered elsewhere.
    private var endBehindProgress: Ended? {
        state.withLock { state in
            // Progress that arrived meanwhile comes first, in a separate delivery.
            if case .task = state.consumer { nil } else { state.progress.isEmpty ? state.ended.take() : nil }
        }
    }
}

extension [any PluginType] {
    /// The request after the plugins, in order, have prepared it.
    func prepare(_ request: consuming URLRequest, target: any TargetType) -> URLRequest {
        for plugin in self {
            // In place: Foundation's copy of a request takes longer than setting its fields. The type is compared first,
            // because a cast that fails takes as long as the copy.
            if type(of: plugin) == AccessTokenPlugin.self, let plugin = plugin as? AccessTokenPlugin {
                plugin.addToken(to: &request, target: target)
            } else {
                request = plugin.prepare(request, target: target)
            }
        }
        return request
    }

    /// The result after the plugins, in order, have processed it; a plugin that makes another response of a streamed one
    /// leaves the body to its reader.
    func process(_ result: Result<Response, MoyaError>, target: any TargetType) -> Result<Response, MoyaError> {
        let processed = reduce(result) { $1.process($0, target: target) }
        guard case .success(let response) = result, let body = response.body, case .success(let new) = processed,
            new.body == nil, new.data.isEmpty
        else { return processed }
        return .success(new.with(body))
    }
}
