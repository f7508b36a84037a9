#if CombineMoya
public import Foundation
public import Moya

#if canImport(Combine)
public import Combine
#else
public import OpenCombine
#endif

extension MoyaProvider {
    /// Publishes a target's response as it arrives, the head and then the chunks; each subscription makes a call.
    ///
    /// The call is made when the subscriber first requests a value, and bytes are read as values are requested, one
    /// element ahead: a subscriber without demand slows the server down. Cancelling a subscription ends its exchange.
    /// A call retains the provider until it is over; the publisher does not. After the release of the provider, a new
    /// subscriber gets no event.
    ///
    /// - Parameters:
    ///   - target: The target of the call.
    ///   - deadlines: The time limits of the call; a `nil` limit is that of the target and the provider.
    ///   - callbackQueue: The queue of the values: this one, else the provider's, else the main queue.
    public func streamPublisher(
        _ target: Target, deadlines: Deadlines? = nil, callbackQueue: DispatchQueue? = nil
    ) -> AnyPublisher<StreamPart, MoyaError> {
        publisher(on: callbackQueue) { $0.parts(of: target, deadlines: deadlines) }
    }

    /// Publishes the lines of a target's response; each subscription makes a call.
    ///
    /// Otherwise like ``streamPublisher(_:deadlines:callbackQueue:)``; see `lines(of:maximumLineLength:)`.
    public func linesPublisher(
        of target: Target, maximumLineLength: Int = 16_777_216, callbackQueue: DispatchQueue? = nil
    ) -> AnyPublisher<String, MoyaError> {
        publisher(on: callbackQueue) { $0.lines(of: target, maximumLineLength: maximumLineLength) }
    }

    /// Publishes the JSON values of a target's response; each subscription makes a call.
    ///
    /// An element that cannot be decoded ends the stream. Otherwise like
    /// ``streamPublisher(_:deadlines:callbackQueue:)``; see `jsonLines(of:as:using:maximumElementLength:)`.
    public func jsonLinesPublisher<Value: Decodable & Sendable>(
        of target: Target, as type: Value.Type, using decoder: JSONDecoder = .moyaDefault,
        maximumElementLength: Int = 16_777_216, callbackQueue: DispatchQueue? = nil
    ) -> AnyPublisher<Value, MoyaError> {
        publisher(on: callbackQueue) {
            $0.jsonLines(of: target, as: type, using: decoder, maximumElementLength: maximumElementLength)
        }
    }

    /// Publishes the server-sent events of a target's response; each subscription makes a call.
    ///
    /// Otherwise like ``streamPublisher(_:deadlines:callbackQueue:)``; see
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

    /// Publishes the data of a target's server-sent events, decoded from JSON; each subscription makes a call.
    ///
    /// An event that cannot be decoded ends the stream. Otherwise like ``streamPublisher(_:deadlines:callbackQueue:)``;
    /// see `events(of:as:until:using:reconnecting:resumingAt:maximumEventLength:)`.
    public func eventsPublisher<Value: Decodable & Sendable>(
        of target: Target, as type: Value.Type, until end: String? = nil, using decoder: JSONDecoder = .moyaDefault,
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
