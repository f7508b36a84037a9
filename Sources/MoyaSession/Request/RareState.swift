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
    /// The body stream of a `URLRequest`, which can be read only once.
    var bodyStream: UploadRequest.Stream?
    /// The initial request of the current attempt; set only if there are monitors.
    var attemptRequest: URLRequest?
    /// The events that monitors have not received yet.
    var outbox = EventOutbox()
    /// The last request of the current attempt that a redirect, a challenge or a refused range caused.
    var followUp: URLRequest?
    /// The metrics of the exchanges before the last one.
    var earlierMetrics: [TransportMetrics] = []
    /// The attempts before the last one.
    var earlierTasks: [SessionTask] = []
    /// The body of the last of them, until the next attempt is passed to the transport.
    var earlierData: Data?
    /// The app's own texts, by the number of the attempt.
    var taskDescriptions: [Int: String] = [:]
    var credential: URLCredential?
    /// The names of the fields that are credentials.
    var credentialFields: Set<String> = []
    /// The credential that each authentication interceptor last applied to the request.
    var authentications: [ObjectIdentifier: RequestAuthentication] = [:]
    /// The request's own time limits.
    var timeouts: Deadlines?
    /// The request's own maximum number of response bytes.
    var maximumResponseBytes: Int64?
    /// The trailer fields of the response.
    var trailers: [HTTPField] = []
    /// The prepared attempt and its request, sent once the request is resumed.
    var pending: PendingExchange?
    /// `true` if the rest of the response is not needed.
    var isUnwanted = false
    /// The time at which the head of a streamed response must have been accepted.
    var headDeadline: Deadline?
    /// `true` if an attempt was ended because the head of its response came too late.
    var isLate = false
    /// `true` if only a cached response is acceptable, because there is no network.
    var isOffline = false
    /// `true` if an earlier attempt ended with a response that the cache has, and would repeat.
    var reloads = false
    var redirectHandler: (any RedirectHandler)?
    var cachedResponseHandler: (any CachedResponseHandler)?
    var responseHandler: ResponseHandler?
    /// The end of an exchange that waits for the handler's decision.
    var heldEnd: HeldEnd?
    var progressHandlers = ProgressHandlers()
    /// The pending progress closures.
    var progressGroup: DispatchGroup?
    var curlHandlers: [@Sendable (Request) -> Void] = []
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
    /// The state that few requests have, made on first use.
    mutating func makeRare() -> RareState {
        if let rare { return rare }
        let made = RareState()
        rare = made
        return made
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
}
