public import Foundation
public import MoyaSession

/// Calls whose response is read as it arrives.
///
/// They take the same path as other calls, but are not coalesced and bypass a subclass's `request`. Middleware and
/// plugins see the head as a response without data, before the first byte of its body: a retry or a refresh happens
/// there, and nothing is retried later. `attempt` and `total` deadlines end with the head; an `idle` one covers the
/// rest. A status code that the target's `validationType` refuses, or one outside 200...299 without a `validationType`,
/// is an error with at most 1 MiB of the body. With `.customCodes([])`, the body of every status is streamed.
extension MoyaProvider {
    /// Calls a target and returns its response once the head arrives.
    ///
    /// - Throws: `MoyaError`; `.statusCode` for a status outside 200...299, unless the target has a `validationType`.
    public func stream(_ target: Target, deadlines: Deadlines? = nil) async throws(MoyaError) -> StreamedResponse {
        StreamedResponse(
            try await streamedCall(of: target, deadlines: deadlines).head().get(), callbackQueue: callbackQueue)
    }

    /// Calls a target and yields the lines of its response: text ended by LF, CR or CRLF.
    ///
    /// The call is made for the first element. Invalid UTF-8 is replaced with U+FFFD.
    ///
    /// - Parameters:
    ///   - target: The target to call.
    ///   - maximumLineLength: The maximum number of bytes in a line; a longer one ends the stream with
    ///     ``ResponseStreamError/elementTooLong(limit:)``.
    public func lines(of target: Target, maximumLineLength: Int = 16_777_216) -> ResponseSequence<String> {
        let open = open(target)
        return ResponseSequence(of: StreamOwner(self)) {
            ParsedReader(ChunkReader(open: open)) { _ in LineParser(limit: maximumLineLength) }
        }
    }

    /// Calls a target and yields the JSON values of its response, decoded as they arrive.
    ///
    /// The response is JSON Lines (`application/jsonl`, `application/x-ndjson`), a JSON text sequence (RFC 7464), or
    /// one array, whose elements are yielded. An element that cannot be decoded throws `MoyaError.objectMapping` with
    /// its text as the response's data; calling the iterator again continues with the next element.
    ///
    /// - Parameters:
    ///   - target: The target to call.
    ///   - type: The type of an element.
    ///   - decoder: Decodes the elements.
    ///   - maximumElementLength: The maximum number of bytes in an element; a longer one ends the stream with
    ///     ``ResponseStreamError/elementTooLong(limit:)``.
    public func jsonLines<Value: Decodable & Sendable>(
        of target: Target, as type: Value.Type, using decoder: JSONDecoder = .moyaDefault,
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

    /// Calls a target and yields its server-sent events (WHATWG HTML section 9.2).
    ///
    /// The call is made for the first event, with `Accept: text/event-stream` and
    /// `Cache-Control: no-store`, unless the target sets them. A response of another type throws
    /// ``ResponseStreamError/unacceptableContentType(_:)``; one with the status 204 has no events.
    ///
    /// - Parameters:
    ///   - target: The target to call.
    ///   - reconnecting: The policy for reconnecting after the stream has ended or broken; never by default.
    ///   - cursor: Returns the target that continues after an event, for an API that resumes with a parameter, or `nil`
    ///     if none can. Without it, the server receives the `Last-Event-ID` of this stream.
    ///   - maximumEventLength: The maximum number of bytes in an event; a longer one ends the stream with
    ///     ``ResponseStreamError/elementTooLong(limit:)``.
    public func events(
        of target: Target, reconnecting: Reconnection? = nil,
        resumingAt cursor: (@Sendable (ServerSentEvent) -> Target?)? = nil, maximumEventLength: Int = 16_777_216
    ) -> ResponseSequence<ServerSentEvent> {
        ResponseSequence(of: StreamOwner(self)) { [weak self] in
            EventReader(
                of: target, by: self, reconnecting: reconnecting, resumingAt: cursor, limit: maximumEventLength)
        }
    }

    /// Calls a target and yields the data of its server-sent events, decoded from JSON.
    ///
    /// An event that cannot be decoded throws `MoyaError.objectMapping` with its text as the response's data; calling
    /// the iterator again continues with the next event.
    ///
    /// - Parameters:
    ///   - target: The target to call.
    ///   - type: The type of the data.
    ///   - end: The data of the event that ends the stream, such as `[DONE]`.
    ///   - decoder: Decodes the data.
    ///   - reconnecting: The policy for reconnecting after the stream has ended or broken; never by default.
    ///   - cursor: Returns the target that continues after an event; see
    ///     ``events(of:reconnecting:resumingAt:maximumEventLength:)``.
    ///   - maximumEventLength: The maximum number of bytes in an event.
    public func events<Value: Decodable & Sendable>(
        of target: Target, as type: Value.Type, until end: String? = nil, using decoder: JSONDecoder = .moyaDefault,
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

    /// Makes a call of the target, without retaining the provider.
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
