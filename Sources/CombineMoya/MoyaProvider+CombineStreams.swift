#if CombineMoya
public import Foundation
public import Moya

#if canImport(Combine)
public import Combine
#else
public import OpenCombine
#endif

extension MoyaProvider {
    /// Calls of a target, one for each subscription, that give the response as it comes: its head, then its chunks.
    ///
    /// The call is made when its subscriber first requests a value, and bytes are read as values are requested, one element
    /// ahead: a subscriber that requests none holds the server back. Cancelling a subscription ends its exchange. The
    /// provider is not kept: released during a stream, it ends it as cancelled; released before, the subscriber never gets
    /// an event.
    ///
    /// - Parameters:
    ///   - target: The target of the call.
    ///   - deadlines: How long the call may take; as the target and the provider say where a limit is `nil`.
    ///   - callbackQueue: The queue of the values: this one, else the provider's, else the main queue.
    public func streamPublisher(
        _ target: Target, deadlines: Deadlines? = nil, callbackQueue: DispatchQueue? = nil
    ) -> AnyPublisher<StreamPart, MoyaError> {
        publisher(on: callbackQueue) { $0.parts(of: target, deadlines: deadlines) }
    }

    /// Calls of a target, one for each subscription, that give the lines of the response.
    ///
    /// Otherwise as ``streamPublisher(_:deadlines:callbackQueue:)``; see `lines(of:maximumLineLength:)`.
    public func linesPublisher(
        of target: Target, maximumLineLength: Int = 16_777_216, callbackQueue: DispatchQueue? = nil
    ) -> AnyPublisher<String, MoyaError> {
        publisher(on: callbackQueue) { $0.lines(of: target, maximumLineLength: maximumLineLength) }
    }

    /// Calls of a target, one for each subscription, that give the JSON values of the response.
    ///
    /// An element that cannot be decoded ends the stream. Otherwise as ``streamPublisher(_:deadlines:callbackQueue:)``; see
    /// `jsonLines(of:as:using:maximumElementLength:)`.
    public func jsonLinesPublisher<Value: Decodable & Sendable>(
        of target: Target, as type: Value.Type, using decoder: JSONDecoder = JSONDecoder(),
        maximumElementLength: Int = 16_777_216, callbackQueue: DispatchQueue? = nil
    ) -> AnyPublisher<Value, MoyaError> {
        publisher(on: callbackQueue) {
            $0.jsonLines(of: target, as: type, using: decoder, maximumElementLength: maximumElementLength)
        }
    }

    /// Calls of a target, one for each subscription, that give the events of the server.
    ///
    /// Otherwise as ``streamPublisher(_:deadlines:callbackQueue:)``; see
    /// `events(of:reconnecting:resumingAt:maximumEventLength:)`.
    public func eventsPublisher(
        of target: Target, reconnecting: Reconnection? = nil,
        resumingAt cursor: (@Sendable (ServerSentEvent) -> Target?)? = nil, maximumEventLength: Int = 16_777_216,
        callbackQueue: DispatchQueue? = nil
    ) -> AnyPublisher<ServerSentEvent, MoyaError> {
        publisher(on: callbackQueue) {
            $0.events(
                of: target, reconnecting: reconnecting, resumingAt: cursor, maximumEventLength: maximumEventLength)
        }
    }

    /// Calls of a target, one for each subscription, that give the data of the server's events, decoded from JSON.
    ///
    /// An event that cannot be decoded ends the stream. Otherwise as ``streamPublisher(_:deadlines:callbackQueue:)``; see
    /// `events(of:as:until:using:reconnecting:resumingAt:maximumEventLength:)`.
    public func eventsPublisher<Value: Decodable & Sendable>(
        of target: Target, as type: Value.Type, until end: String? = nil, using decoder: JSONDecoder = JSONDecoder(),
        reconnecting: Reconnection? = nil, resumingAt cursor: (@Sendable (ServerSentEvent) -> Target?)? = nil,
        maximumEventLength: Int = 16_777_216, callbackQueue: DispatchQueue? = nil
    ) -> AnyPublisher<Value, MoyaError> {
        publisher(on: callbackQueue) {
            $0.events(
                of: target, as: type, until: end, using: decoder, reconnecting: reconnecting, resumingAt: cursor,
                maximumEventLength: maximumEventLength)
        }
    }

    private func publisher<Element>(
        on callbackQueue: DispatchQueue?, of sequence: @escaping @Sendable (MoyaProvider) -> ResponseSequence<Element>
    ) -> AnyPublisher<Element, MoyaError> {
        CallPublisher(source: elements(callbackQueue: callbackQueue, of: sequence)).eraseToAnyPublisher()
    }
}
#endif
