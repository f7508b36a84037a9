import Foundation
import MoyaSession
import MoyaTransport

/// Reads server-sent events over successive connections, each made when an event is requested.
final class EventReader<Target: TargetType>: StreamReader {
    private var target: Target
    /// The iterator retains the provider, if there is one.
    private weak var provider: MoyaProvider<Target>?
    private let policy: Reconnection?
    private let cursor: (@Sendable (ServerSentEvent) -> Target?)?
    private let limit: Int

    private var connection: ChunkReader?
    private var parser: ServerSentEventParser
    private var isOver = false
    /// The head of the last response.
    private(set) var head: Response?
    private var hasDelivered = false
    /// The event to pass to the cursor; `nil` without a cursor.
    private var lastEvent: ServerSentEvent?
    /// The id at which the next connection resumes; empty if there is none.
    private var lastEventID = ""
    private var retry: Int64?
    private var method = Method.get
    /// The number of consecutive connections without an event.
    private var failures = 0
    /// The number of connections since the last healthy one.
    private var attempts = 0
    /// The time since the call of the last connection was made.
    private var timeline: Timeline?
    /// The time of the head of the open connection on ``timeline``.
    private var openingTime = Duration.zero

    init(
        of target: Target, by provider: MoyaProvider<Target>?, reconnecting policy: Reconnection?,
        resumingAt cursor: (@Sendable (ServerSentEvent) -> Target?)?, limit: Int
    ) {
        self.target = target
        self.provider = provider
        self.policy = policy
        self.cursor = cursor
        self.limit = limit
        parser = ServerSentEventParser(limit: limit)
    }

    func next(isolation: isolated (any Actor)?) async throws(MoyaError) -> ServerSentEvent? {
        while !isOver {
            // Before the events of a chunk that has arrived.
            guard !_Concurrency.Task.isCancelled else {
                end()
                throw .cancelled
            }
            do throws(MoyaError) {
                if let event = try parsed() { return event }
                if let connection {
                    if let chunk = try await connection.next(isolation: isolation) {
                        parser.append(chunk)
                        continue
                    }
                } else if try await connect(isolation: isolation) {
                    continue
                }
            } catch {
                let outcome = error.outcomeOfConnection
                guard outcome != .final, !_Concurrency.Task.isCancelled else {
                    end()
                    throw error
                }
                let asked = if case .unavailable(let seconds?) = outcome { seconds } else { 0.0 }
                guard try await prepareConnection(noEarlierThan: asked, isolation: isolation) else { throw error }
                continue
            }
            guard try await prepareConnection(isolation: isolation) else { return nil }
        }
        return nil
    }

    private func parsed() throws(MoyaError) -> ServerSentEvent? {
        do throws(ResponseStreamError) {
            guard let event = try parser.next() else { return nil }
            hasDelivered = true
            failures = 0
            if cursor != nil { lastEvent = event }
            return event
        } catch {
            throw .underlying(error, head)
        }
    }

    /// Makes a connection; `false` if the server has no more events.
    private func connect(isolation: isolated (any Actor)?) async throws(MoyaError) -> Bool {
        guard let call = makeCall(resumingAt: lastEventID) else {
            end()
            throw .cancelled
        }
        parser = ServerSentEventParser(lastEventID: lastEventID, limit: limit)
        let connection = ChunkReader { await call.head() }
        let head = try await connection.connect(isolation: isolation)
        self.head = head
        guard head.statusCode != 204 else {
            end()
            return false
        }
        guard head.isEventStream else {
            throw .underlying(ResponseStreamError.unacceptableContentType(head.contentType), head)
        }
        self.connection = connection
        openingTime = timeline?.now ?? .zero
        return true
    }

    /// The call of a connection; `nil` if the provider was released.
    private func makeCall(resumingAt id: String) -> StreamedCall<Target>? {
        guard let provider else { return nil }
        let endpoint = provider.endpoint(target)
        method = endpoint.method
        timeline = Timeline(provider.settings.clock)
        // A cursor also continues after an id that no field can carry.
        let sentID = canSend(id) ? id : nil
        return StreamedCall(of: target, endpoint, by: provider) { request in
            for (name, value) in [("Accept", "text/event-stream"), ("Cache-Control", "no-store")]
            where request.value(forHTTPHeaderField: name) == nil {
                request.setValue(value, forHTTPHeaderField: name)
            }
            if let sentID { request.setValue(sentID, forHTTPHeaderField: "Last-Event-ID") }
        }
    }

    /// Prepares another connection and waits until it is due; `false` if there must be none.
    ///
    /// - Parameter seconds: The server's `Retry-After`, of which at most an hour is used.
    private func prepareConnection(
        noEarlierThan seconds: Double = 0, isolation: isolated (any Actor)?
    ) async throws(MoyaError) -> Bool {
        guard !isOver else { return false }
        let lifetime = lifetime
        lastEventID = parser.lastEventID
        retry = parser.retry ?? retry
        connection?.end()
        connection = nil
        guard let policy, failures < policy.attempts, let next = nextTarget else {
            end()
            return false
        }
        target = next
        failures += 1
        if let lifetime, lifetime >= policy.healthyTime { attempts = 0 }
        attempts += 1
        let wait = max(policy.wait(before: attempts, retry: retry), .seconds(min(seconds, 3_600)))
        do {
            if wait > .zero { try await timeline?.sleep(for: wait) }
        } catch {
            end()
            throw .cancelled
        }
        return true
    }

    /// The time for which the connection has been open; `nil` for a call that failed, however long it took.
    private var lifetime: Duration? { connection == nil ? nil : timeline.map { $0.now - openingTime } }

    /// The target that continues after the end of this connection; `nil` if none can without loss.
    private var nextTarget: Target? {
        if let lastEvent { return cursor?(lastEvent) }
        if hasDelivered { return canSend(lastEventID) ? target : nil }
        return canSend(lastEventID) || HTTPRequest.isIdempotent(method.rawValue) ? target : nil
    }

    /// `true` if there is an id that a header field can carry.
    private func canSend(_ id: String) -> Bool { !id.isEmpty && HTTPField.fate("Last-Event-ID", id) != .refused }

    private func end() {
        isOver = true
        connection?.end()
        connection = nil
    }
}

extension Response {
    /// `true` if the body is an event stream, as is a sample without header fields.
    fileprivate var isEventStream: Bool {
        guard let response else { return true }
        guard let type = response.value(forHTTPHeaderField: "Content-Type") else { return false }
        return MIMETypePattern.essence(of: type) == "text/event-stream"
    }
}

extension MoyaError {
    /// The chance of another connection, with the server's `Retry-After`.
    fileprivate var outcomeOfConnection: RetryRules.Outcome {
        if case .underlying(let error, _) = self {
            if error is ResponseStreamError { return .final }
            // A truncated content coding is a broken stream; its events arrived before.
            if (error as? SessionError)?.transportFailure?.kind == .contentDecoding { return .interrupted }
        }
        return RetryRules.Outcome(.failure(self), statusCodes: [408, 425, 429, 500, 502, 503, 504], now: Date())
    }
}
