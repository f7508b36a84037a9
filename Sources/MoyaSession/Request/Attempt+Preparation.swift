import Foundation
import MoyaTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Prepares a request for the transport stack.
extension Attempt {
    /// Builds the request, on the session's request queue or immediately.
    func prepare() {
        guard let queue = core.preparationQueue, !isStubbed else { return build() }
        queue.async { self.build() }
    }

    /// `true` if a stub performs the request; an immediate one ends before the call returns.
    private var isStubbed: Bool { request.mutableState.withLock { $0.transport != nil } }

    private func build() {
        var context = request.mutableState.withLock { AttemptContext($0) }
        guard !context.isOver else { return }
        let built: HTTPRequest
        do {
            built = try make(isSeen: context.observer != nil)
        } catch {
            return fail((error as? SessionError) ?? .createURLRequestFailed(error: error), isBuilt: false)
        }
        if let urlRequest = built.urlRequest { context = record(urlRequest) }
        guard !context.isOver else { return }
        if let urlRequest = built.urlRequest { report(.didCreateInitialURLRequest(urlRequest)) }
        do throws(SessionError) {
            if !context.isStubbed { try check(built, isAdapted: false) }
        } catch {
            return fail(error)
        }
        guard request.interceptors.isEmpty else { return adapt(built) }
        guard let observer = context.observer, let urlRequest = built.urlRequest else {
            return send(built, context, isAdapted: false, isChecked: true)
        }
        request.watchDeadline(in: .preparing, of: number)
        show(urlRequest, to: observer, initial: urlRequest, made: built)
    }

    /// Makes the request, as a `URLRequest` if user code can see it.
    private func make(isSeen: Bool) throws -> HTTPRequest {
        let made = try request.makeTransportRequest()
        guard made.urlRequest == nil, isSeen || monitor != nil || !request.interceptors.isEmpty else {
            return made
        }
        var seen = made
        seen.urlRequest = try made.asURLRequest()
        return seen
    }

    /// Records a request that was made, and returns the settings that now apply to the attempt.
    private func record(_ made: URLRequest) -> AttemptContext {
        request.mutableState.withLock { state in
            state.record(made)
            return AttemptContext(state)
        }
    }

    private func adapt(_ built: HTTPRequest) {
        guard let session = core.session else { return fail(.sessionDeinitialized) }
        guard let initial = built.urlRequest else { return fail(.invalidURL(url: built.url)) }
        let state = RequestAdapterState(request: request, session: session)
        let adapters = request.interceptors
        let chain = AdaptationChain(count: adapters.count, adapter: { adapters[$0] }, session: session, state: state) {
            [self] result in
            switch consume result {
            case .success(let adapted):
                let context = request.mutableState.withLock { state in
                    // An observer makes the last change.
                    if state.observer == nil { state.record(adapted) }
                    return AttemptContext(state)
                }
                guard !context.isOver else { return }
                if let observer = context.observer {
                    return show(consume adapted, to: observer, initial: initial, made: built)
                }
                reportAdaptation(of: initial, to: adapted)
                send(built.changed(to: adapted), context, isAdapted: true, isChecked: false)
            case .failure(let cause):
                guard !request.isOver else { return }
                let error = SessionError.requestAdaptationFailed(error: cause)
                report(.didFailToAdaptURLRequest(initial, error))
                fail(error, isReported: true)
            }
        }
        // An adapter may block.
        request.watchDeadline(in: .preparing, of: number)
        chain.run(initial)
    }

    /// Passes the request to its observer, which may change it.
    private func show(
        _ adapted: consuming URLRequest, to observer: any RequestObserver, initial: URLRequest, made: HTTPRequest
    ) {
        let prepared = observer.prepare(consume adapted)
        _ = record(prepared)
        reportAdaptation(of: initial, to: prepared)
        guard !request.isOver else { return }
        // The observer may read the request and set time limits.
        observer.willSend(request)
        let context = request.mutableState.withLock { AttemptContext($0) }
        send(made.changed(to: prepared), context, isAdapted: true, isChecked: false)
    }

    private func reportAdaptation(of initial: URLRequest, to adapted: URLRequest) {
        guard monitor != nil else { return }
        report(.didAdaptURLRequest(initial: initial, adapted: adapted))
    }

    private func send(_ made: consuming HTTPRequest, _ context: AttemptContext, isAdapted: Bool, isChecked: Bool) {
        guard !context.isOver else { return }
        guard request.preparesBodyOnQueue, !request.deliversInline else {
            return complete(made, context, isAdapted: isAdapted, isChecked: isChecked)
        }
        // Not on the root queue: other requests of the session would wait for a form that is written to a file.
        (core.preparationQueue ?? .global()).async { [made] in
            // The request may have ended meanwhile.
            guard !self.request.isOver else { return }
            self.complete(made, context, isAdapted: isAdapted, isChecked: isChecked)
        }
        request.watchDeadline(in: .preparing, of: number)
    }

    /// - Parameter isChecked: `true` if the request is unchanged since it was validated.
    private func complete(
        _ sent: consuming HTTPRequest, _ context: AttemptContext, isAdapted: Bool, isChecked: Bool
    ) {
        do throws(SessionError) {
            let body = if let made = try request.makeBody(for: sent) { made } else { try requestBody(of: sent) }
            // A form may take long to encode.
            if request.preparesBodyOnQueue, request.isOver { return request.removeTemporaryFiles() }
            if !isChecked || request.isUpload, !context.isStubbed { try check(sent, isAdapted: isAdapted) }
            sent.body = body
            reportBody(of: sent)
            core.complete(&sent, context)
            if !context.isStubbed { try core.checkCredentials(of: sent) }
            sent.delegate = self
            sent.expectsLargeResponse = request.expectsLargeResponse
            sent.usesCache = !request.expectsLargeResponse || core.httpCache != nil
            sent.isOffline = context.isOffline
            sent.reloads = context.reloads
            // The progress of an upload may be read at any time, unless the request is a provider's own.
            sent.reportsSentBytes = monitor != nil || request.isUpload && !context.isPrivate
            sent.collectsMetrics = !context.isPrivate || monitor != nil
            sent.isStreamed = request.stream != nil || request.passesBodyOn
            if request.stream != nil { prepareStream(&sent, context) }
            if !context.isStubbed, !core.hasCache, sent.asksForCachedResponse { throw .notCached }
            startOrHold(sent)
        } catch {
            let isOfBody = request.isUpload && error.isAboutABody
            if isOfBody { report(.didFailToCreateUploadable(error)) }
            fail(error, isReported: isOfBody)
        }
    }

    /// The body that the request itself has.
    private func requestBody(of sent: HTTPRequest) throws(SessionError) -> TransportBody {
        guard let urlRequest = sent.urlRequest else { return sent.body }
        if let data = urlRequest.httpBody { return .data(data) }
        guard let stream = urlRequest.httpBodyStream else { return try bodyBesideURLRequest(sent.body) }
        let known = request.mutableState.withLock { $0.rare?.bodyStream }
        let body = known.flatMap { $0.stream === stream ? $0 : nil } ?? UploadRequest.Stream(stream)
        try body.checkUnread()
        request.mutableState.withLock { $0.makeRare().bodyStream = body }
        return .stream(body.reader, length: sent.statedLength)
    }

    /// The body of an ``MoyaTransport/HTTPRequest`` that a `URLRequest` cannot have: a file or a reader.
    private func bodyBesideURLRequest(_ body: TransportBody) throws(SessionError) -> TransportBody {
        switch body {
        case .none, .data: return .none
        case .file: return body
        case .stream(let reader, _):
            // Every attempt reads it from its start.
            guard number == 0 || reader.rewind() else {
                throw .createUploadableFailed(error: InputStreamFailure.wasRead)
            }
            return body
        }
    }

    private func reportBody(of sent: HTTPRequest) {
        guard monitor != nil else { return }
        if let urlRequest = sent.urlRequest { report(.didCreateURLRequest(urlRequest)) }
        guard request.isUpload else { return }
        report(.didCreateUploadable)
        if case .stream = sent.body { report(.didProvideInputStream) }
    }

    /// Passes the request to the transport, or stores it until the request is resumed.
    private func startOrHold(_ sent: consuming HTTPRequest) {
        let hasMonitor = monitor != nil
        var start: MutableState.ExchangeStart?
        var heldUntil: Deadline?
        let location = sent.urlRequest?.url.map { ExchangeLocation.url($0) } ?? .text(sent.url)
        let action = request.mutableState.withLock { state in
            let action = state.machine.prepared(attempt: number)
            let isHeld = state.machine.stage == .prepared
            // An exchange that is prepared after the request's end would only retain its body.
            guard action == .start || isHeld else { return action }
            state.isBuilt = true
            state.location = location
            state.rare?.earlierData = nil
            // A stored response that is validated later outlives the request.
            cachedResponseHandler = state.rare?.cachedResponseHandler ?? core.cachedResponseHandler
            if isHeld { heldUntil = state.deadline }
            if isHeld || hasMonitor {
                state.makeRare().pending = (self, sent)
            } else {
                start = state.beginExchange()
            }
            return action
        }
        if let start { return self.start(start, of: sent) }
        request.act(on: action)
        if let heldUntil { core.watch(heldUntil) }
    }

    /// Sets the time limits of a request that was held back since it was prepared.
    func renewTimeLimits(of sent: inout HTTPRequest) {
        let context = request.mutableState.withLock { AttemptContext($0) }
        guard !context.isStubbed, request.stream == nil else { return }
        core.bound(&sent, context)
    }

    /// Throws an error if the request must not be sent.
    func check(_ made: HTTPRequest, isAdapted: Bool) throws(SessionError) {
        if let refusal = core.refusal { throw refusal }
        do throws(SessionError) {
            try RequestValidation.validate(made)
        } catch {
            throw isAdapted ? .requestAdaptationFailed(error: error) : error
        }
    }

    private func fail(_ error: SessionError, isReported: Bool = false, isBuilt: Bool = true) {
        guard !request.isOver else { return }
        if !isReported { report(.didFailToCreateURLRequest(error)) }
        request.perform { state in
            if isBuilt { state.isBuilt = true }
            let action = state.machine.preparationFailed(attempt: number)
            if action != .none { state.error = error }
            return action
        }
    }
}

extension HTTPRequest {
    /// The length of a stream as stated by its caller, which avoids a chunked body (RFC 9112 section 6.1).
    var statedLength: Int64? {
        fields.values(for: "content-length").first.flatMap { ASCII.number($0.utf8) }
    }

    /// `true` if only a cached response is acceptable.
    fileprivate var asksForCachedResponse: Bool {
        isOffline || usesCache && urlRequest?.cachePolicy == .returnCacheDataDontLoad
    }
}

extension SessionError {
    /// `true` if the body could not be made.
    fileprivate var isAboutABody: Bool {
        switch self {
        case .createUploadableFailed, .multipartEncodingFailed, .urlRequestValidationFailed(.uploadFileNotReadable):
            true
        default: false
        }
    }
}
