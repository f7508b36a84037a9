import Foundation
import MoyaTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// State that few requests have, in an object, so that other requests need no space for it.
///
/// Protected by the lock of its request.
final class RareState {
    var id: UUID?
    var bodyStream: UploadRequest.Stream?
    var attemptRequest: URLRequest?
    var followUp: URLRequest?
    var earlierMetrics: [TransportMetrics] = []
    var earlierTasks: [SessionTask] = []
    var credential: URLCredential?
    var credentialFields: Set<String> = []
    var authentications: [ObjectIdentifier: RequestAuthentication] = [:]
    var timeouts: Deadlines?
    var maximumResponseBytes: Int64?
    var trailers: [HTTPField] = []
    var pending: PendingExchange?
    var isUnwanted = false
    var headDeadline: Deadline?
    var isLate = false
    var isOffline = false
    var redirectHandler: (any RedirectHandler)?
    var cachedResponseHandler: (any CachedResponseHandler)?
    var responseHandler: ResponseHandler?
    var heldEnd: HeldEnd?
    var progressHandlers = ProgressHandlers()
    /// The pending progress closures.
    var progressGroup: DispatchGroup?
    var curlHandlers: [@Sendable (String) -> Void] = []
    /// The queue of the handlers that serialize the response, one at a time; `nil` without any.
    var serializationQueue: DispatchQueue?

    /// The state that a finished request releases; boxed, since few requests have any.
    indirect enum Rest {
        case handlers(
            PendingExchange?, (any RedirectHandler)?, (any CachedResponseHandler)?, ResponseHandler?, HeldEnd?,
            ProgressHandlers)
    }

    func takeRest() -> Rest? {
        let isEmpty =
            pending == nil && redirectHandler == nil && cachedResponseHandler == nil && responseHandler == nil
            && heldEnd == nil && progressHandlers.received == nil && progressHandlers.sent == nil
        guard !isEmpty else { return nil }
        defer { progressHandlers = ProgressHandlers() }
        return .handlers(
            pending.take(), redirectHandler.take(), cachedResponseHandler.take(), responseHandler.take(),
            heldEnd.take(), progressHandlers)
    }
}

extension MutableState {
    private mutating func makeRare() -> RareState {
        if let rare { return rare }
        let made = RareState()
        rare = made
        return made
    }

    var id: UUID? {
        get { rare?.id }
        set { makeRare().id = newValue }
    }

    /// The body stream of a `URLRequest`, which can be read only once.
    var bodyStream: UploadRequest.Stream? {
        get { rare?.bodyStream }
        set { makeRare().bodyStream = newValue }
    }

    /// The initial request of the current attempt; set only if there are monitors.
    var attemptRequest: URLRequest? {
        get { rare?.attemptRequest }
        set { makeRare().attemptRequest = newValue }
    }

    /// The last request of the current attempt that a redirect, a challenge or a refused range caused.
    var followUp: URLRequest? {
        get { rare?.followUp }
        set { makeRare().followUp = newValue }
    }

    /// The metrics of the exchanges before the last one.
    var earlierMetrics: [TransportMetrics] {
        get { rare?.earlierMetrics ?? [] }
        set { makeRare().earlierMetrics = newValue }
    }

    /// The attempts before the last one.
    var earlierTasks: [SessionTask] {
        get { rare?.earlierTasks ?? [] }
        set { makeRare().earlierTasks = newValue }
    }

    var credential: URLCredential? {
        get { rare?.credential }
        set { makeRare().credential = newValue }
    }

    /// The names of the fields that are credentials.
    var credentialFields: Set<String> {
        get { rare?.credentialFields ?? [] }
        set { makeRare().credentialFields = newValue }
    }

    /// The credential that each authentication interceptor last applied to the request.
    var authentications: [ObjectIdentifier: RequestAuthentication] {
        get { rare?.authentications ?? [:] }
        set { makeRare().authentications = newValue }
    }

    /// The request's own time limits.
    var timeouts: Deadlines? {
        get { rare?.timeouts }
        set { makeRare().timeouts = newValue }
    }

    /// The request's own maximum number of response bytes.
    var maximumResponseBytes: Int64? {
        get { rare?.maximumResponseBytes }
        set { makeRare().maximumResponseBytes = newValue }
    }

    /// The trailer fields of the response.
    var trailers: [HTTPField] {
        get { rare?.trailers ?? [] }
        set { makeRare().trailers = newValue }
    }

    /// The prepared attempt and its request, sent once the request is resumed.
    var pending: PendingExchange? {
        get { rare?.pending }
        set { makeRare().pending = newValue }
    }

    /// `true` if the rest of the response is not needed.
    var isUnwanted: Bool {
        get { rare?.isUnwanted ?? false }
        set { makeRare().isUnwanted = newValue }
    }

    /// The time at which the head of a streamed response must have been accepted.
    var headDeadline: Deadline? {
        get { rare?.headDeadline }
        set { if newValue != nil || rare != nil { makeRare().headDeadline = newValue } }
    }

    /// `true` if an attempt was ended because the head of its response came too late.
    var isLate: Bool {
        get { rare?.isLate ?? false }
        set { makeRare().isLate = newValue }
    }

    /// `true` if only a cached response is acceptable, because there is no network.
    var isOffline: Bool {
        get { rare?.isOffline ?? false }
        set { makeRare().isOffline = newValue }
    }

    var redirectHandler: (any RedirectHandler)? {
        get { rare?.redirectHandler }
        set { makeRare().redirectHandler = newValue }
    }

    var cachedResponseHandler: (any CachedResponseHandler)? {
        get { rare?.cachedResponseHandler }
        set { makeRare().cachedResponseHandler = newValue }
    }

    var responseHandler: ResponseHandler? {
        get { rare?.responseHandler }
        set { makeRare().responseHandler = newValue }
    }

    /// The end of an exchange that waits for the handler's decision.
    var heldEnd: HeldEnd? {
        get { rare?.heldEnd }
        set { makeRare().heldEnd = newValue }
    }

    var progressHandlers: ProgressHandlers {
        get { rare?.progressHandlers ?? ProgressHandlers() }
        set { makeRare().progressHandlers = newValue }
    }

    /// Returns the group of the progress closures, made on first use.
    mutating func makeProgressGroup() -> DispatchGroup {
        let rare = makeRare()
        if let group = rare.progressGroup { return group }
        let group = DispatchGroup()
        rare.progressGroup = group
        return group
    }

    /// Returns the queue of the handlers that serialize the response, made on first use.
    ///
    /// - Parameters:
    ///   - target: The session's queue, which may be concurrent.
    ///   - root: The session's root queue, which is serial.
    mutating func makeSerializationQueue(over target: DispatchQueue, root: DispatchQueue) -> DispatchQueue {
        let rare = makeRare()
        if let queue = rare.serializationQueue { return queue }
        let queue = target === root ? root : DispatchQueue(inOrderOn: target)
        rare.serializationQueue = queue
        return queue
    }

    var curlHandlers: [@Sendable (String) -> Void] {
        get { rare?.curlHandlers ?? [] }
        set { makeRare().curlHandlers = newValue }
    }
}
