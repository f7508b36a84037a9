public import Foundation
public import MoyaSession

/// Calls whose response is read as it comes.
///
/// They pass everything that other calls pass, but join no equal call and no subclass's `request`. Middleware and plugins
/// see the head as a response without data, before the first byte of its body: a retry or a refresh takes place there, and
/// nothing is retried later. `attempt` and `total` deadlines end with the head; an `idle` one watches the rest. A status
/// code that the target's `validationType` refuses, or one outside 200...299 when it has none, is an error with at most
/// 1 MiB of the body in it.
extension MoyaProvider {
    /// Calls a target and returns its response once the head is there.
    ///
    /// - Throws: `MoyaError`; `.statusCode` for a status outside 200...299, unless the target's own `validationType` has
    ///   judged it.
    public func stream(_ target: Target, deadlines: Deadlines? = nil) async throws(MoyaError) -> StreamedResponse {
        StreamedResponse(try await streamedCall(of: target, deadlines: deadlines).head().get())
    }

    /// Calls a target and yields the lines of its response: text ended by LF, CR, or both.
    ///
    /// The call is made for the first element. Bytes that are no UTF-8 are replaced by U+FFFD.
    ///
    /// - Parameters:
    ///   - target: The target to call.
    ///   - maximumLineLength: The most bytes of a line; a longer one ends the stream with
    ///     ``StreamError/elementTooLong(limit:)``.
    public func lines(of target: Target, maximumLineLength: Int = 16_777_216) -> ResponseSequence<String> {
        let open = open(target)
        return ResponseSequence(of: StreamOwner(self)) {
            ParsedReader(ChunkReader(open: open)) { _ in LineParser(limit: maximumLineLength) }
        }
    }

    /// Calls a target and yields the JSON values of its response, decoded as they come.
    ///
    /// The response is JSON Lines (`application/jsonl`, `application/x-ndjson`), a JSON text sequence (RFC 7464), or one
    /// array, whose elements are yielded. An element that cannot be decoded is `MoyaError.objectMapping` with its text as the
    /// response's data; an iterator that is asked again goes on with the element after it.
    ///
    /// - Parameters:
    ///   - target: The target to call.
    ///   - type: The type of an element.
    ///   - decoder: Decodes the elements.
    ///   - maximumElementLength: The most bytes of an element; a longer one ends the stream with
    ///     ``StreamError/elementTooLong(limit:)``.
    public func jsonLines<Value: Decodable & Sendable>(
        of target: Target, as type: Value.Type, using decoder: JSONDecoder = JSONDecoder(),
        maximumElementLength: Int = 16_777_216
    ) -> ResponseSequence<Value> {
        let open = open(target)
        return ResponseSequence(of: StreamOwner(self)) {
            let texts = ParsedReader(ChunkReader(open: open)) {
                JSONLinesParser(contentType: $0.contentType, limit: maximumElementLength)
            }
            return DecodingReader(texts) { text, texts throws(MoyaError) in
                try texts.head?.with(text).map(type, using: decoder)
            }
        }
    }

    /// Calls a target and yields the events that its server sends (WHATWG HTML section 9.2).
    ///
    /// The call is made for the first event, with `Accept: text/event-stream`. A response of another type is
    /// ``StreamError/unacceptableContentType(_:)``; one with the status 204 has no events.
    ///
    /// - Parameters:
    ///   - target: The target to call.
    ///   - reconnecting: When to connect again after the stream has ended or broken; never by default.
    ///   - cursor: Gives the target that goes on after an event, for an API that resumes by a parameter; `nil` where it
    ///     cannot. Without it the server is sent the `Last-Event-ID` of this stream.
    ///   - maximumEventLength: The most bytes of an event; a longer one ends the stream with
    ///     ``StreamError/elementTooLong(limit:)``.
    public func events(
        of target: Target, reconnecting: Reconnection? = nil,
        resumingAt cursor: (@Sendable (ServerSentEvent) -> Target?)? = nil, maximumEventLength: Int = 16_777_216
    ) -> ResponseSequence<ServerSentEvent> {
        ResponseSequence(of: StreamOwner(self)) { [weak self] in
            EventReader(
                of: target, by: self, reconnecting: reconnecting, resumingAt: cursor, limit: maximumEventLength)
        }
    }

    /// Calls a target and yields the data of the events that its server sends, decoded from JSON.
    ///
    /// An event that cannot be decoded is `MoyaError.objectMapping` with its text as the response's data; an iterator that
    /// is asked again goes on with the event after it.
    ///
    /// - Parameters:
    ///   - target: The target to call.
    ///   - type: The type of the data.
    ///   - end: The data of the event that ends the stream, such as `[DONE]`.
    ///   - decoder: Decodes the data.
    ///   - reconnecting: When to connect again after the stream has ended or broken; never by default.
    ///   - cursor: Gives the target that goes on after an event; see ``events(of:reconnecting:resumingAt:maximumEventLength:)``.
    ///   - maximumEventLength: The most bytes of an event.
    public func events<Value: Decodable & Sendable>(
        of target: Target, as type: Value.Type, until end: String? = nil, using decoder: JSONDecoder = JSONDecoder(),
        reconnecting: Reconnection? = nil, resumingAt cursor: (@Sendable (ServerSentEvent) -> Target?)? = nil,
        maximumEventLength: Int = 16_777_216
    ) -> ResponseSequence<Value> {
        ResponseSequence(of: StreamOwner(self)) { [weak self] in
            let events = EventReader(
                of: target, by: self, reconnecting: reconnecting, resumingAt: cursor, limit: maximumEventLength)
            return DecodingReader(events) { event, events throws(MoyaError) in
                if event.data == end { return nil }
                return try events.head?.with(Data(event.data.utf8)).map(type, using: decoder)
            }
        }
    }

    /// The head and the chunks of the response.
    package func parts(of target: Target, deadlines: Deadlines? = nil) -> ResponseSequence<StreamPart> {
        let open = open(target, deadlines: deadlines)
        return ResponseSequence(of: StreamOwner(self)) { PartReader(ChunkReader(open: open)) }
    }

    /// Makes a call of the target, without keeping the provider.
    private func open(
        _ target: Target, deadlines: Deadlines? = nil
    ) -> @Sendable () async -> Result<Response, MoyaError> {
        { [weak self] in
            guard let call = self?.streamedCall(of: target, deadlines: deadlines) else { return .failure(.cancelled) }
            return await call.head()
        }
    }

    private func streamedCall(of target: Target, deadlines: Deadlines?) -> StreamedCall<Target> {
        StreamedCall(of: target, endpoint(target), by: self, deadlines: deadlines)
    }
}

extension Response {
    /// The `Content-Type` of the response.
    var contentType: String? { response?.value(forHTTPHeaderField: "Content-Type") }
}
