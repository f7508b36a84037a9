import Foundation
import MoyaSession
import MoyaTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Reads the events of a server over one connection after the other, each made when an event is asked for.
final class EventReader<Target: TargetType>: StreamReader {
    private var target: Target
    /// Kept by the iterator where there is one.
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
    /// The event that the cursor is asked about; `nil` where there is no cursor.
    private var lastEvent: ServerSentEvent?
    /// The id that the next connection is to be resumed at; empty when there is none.
    private var lastEventID = ""
    private var retry: Int64?
    private var method = Method.get
    /// How many connections in a row have brought no event.
    private var failures = 0
    /// How many connections there were since one was healthy.
    private var attempts = 0
    /// The time since the last connection was made.
    private var timeline: Timeline?

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
                guard error.mayPass, !isTaskCancelled else {
                    end()
                    throw error
                }
                guard try await prepareConnection(isolation: isolation) else { throw error }
                continue
            }
            guard try await prepareConnection(isolation: isolation) else { return nil }
        }
        return nil
    }

    private func parsed() throws(MoyaError) -> ServerSentEvent? {
        do throws(StreamError) {
            guard let event = try parser.next() else { return nil }
            hasDelivered = true
            failures = 0
            if cursor != nil { lastEvent = event }
            return event
        } catch {
            throw .underlying(error, head)
        }
    }

    /// Makes a connection; `false` when the server has no more events.
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
            throw .underlying(StreamError.unacceptableContentType(head.contentType), head)
        }
        self.connection = connection
        return true
    }

    /// The call of a connection; `nil` when the provider was released.
    private func makeCall(resumingAt id: String) -> StreamedCall<Target>? {
        guard let provider else { return nil }
        let endpoint = provider.endpoint(target)
        method = endpoint.method
        timeline = Timeline(provider.settings.clock)
        return StreamedCall(of: target, endpoint, by: provider) { request in
            for (name, value) in [("Accept", "text/event-stream"), ("Cache-Control", "no-store")]
            where request.value(forHTTPHeaderField: name) == nil {
                request.setValue(value, forHTTPHeaderField: name)
            }
            if !id.isEmpty { request.setValue(id, forHTTPHeaderField: "Last-Event-ID") }
        }
    }

    /// Readies another connection and waits until it is due; `false` where there is to be none.
    private func prepareConnection(isolation: isolated (any Actor)?) async throws(MoyaError) -> Bool {
        guard !isOver else { return false }
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
        if let timeline, timeline.now >= policy.healthyTime { attempts = 0 }
        attempts += 1
        let wait = policy.wait(before: attempts, retry: retry)
        do {
            if wait > .zero { try await timeline?.sleep(for: wait) }
        } catch {
            end()
            throw .cancelled
        }
        return true
    }

    /// The target that goes on where this connection has ended; `nil` where none does so faithfully.
    private var nextTarget: Target? {
        if let lastEvent { return cursor?(lastEvent) }
        if hasDelivered { return canSend(lastEventID) ? target : nil }
        return canSend(lastEventID) || RetryPolicy.defaultRetryableHTTPMethods.contains(method) ? target : nil
    }

    /// `true` if there is an id, and a header field can carry it.
    private func canSend(_ id: String) -> Bool { !id.isEmpty && HTTPField.fate("Last-Event-ID", id) != .refused }

    private func end() {
        isOver = true
        connection?.end()
        connection = nil
    }
}

extension Response {
    /// `true` if the body is a stream of events; a sample without header fields is.
    fileprivate var isEventStream: Bool {
        guard let response else { return true }
        guard let type = response.value(forHTTPHeaderField: "Content-Type") else { return false }
        return type.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces).lowercased() == "text/event-stream"
    }
}

extension MoyaError {
    /// `true` if another connection may fare better.
    fileprivate var mayPass: Bool {
        if case .underlying(let error, _) = self {
            if error is StreamError { return false }
            // A content coding without its end is a stream that has broken; its events came before.
            if (error as? SessionError)?.transportFailure?.kind == .contentDecoding { return true }
        }
        return RetryRules.Outcome(.failure(self), statusCodes: [408, 425, 429, 500, 502, 503, 504], now: Date())
            != .final
    }
}
