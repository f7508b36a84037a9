#if ReactiveMoya
public import Foundation
public import Moya
public import ReactiveSwift

extension Reactive {
    /// Produces a target's response as it arrives, the head and then the chunks; each start makes a call.
    ///
    /// Disposing of a start ends its exchange. A call retains the provider until it is over; the producer does not.
    /// After the release of the provider, a new start gets no event. The next element is read after the observer
    /// returns from the previous one, so a slow observer slows the server down. Events arrive on the callback queue: this
    /// one, else the provider's, else the main queue.
    ///
    /// - Parameters:
    ///   - target: The target of the call.
    ///   - deadlines: The time limits of the call; a `nil` limit is that of the target and the provider.
    ///   - callbackQueue: The queue of the events.
    public func stream<Target: TargetType>(
        _ target: Target, deadlines: Deadlines? = nil, callbackQueue: DispatchQueue? = nil
    ) -> SignalProducer<StreamPart, MoyaError> where Base: MoyaProvider<Target> {
        base.elements(callbackQueue: callbackQueue) { $0.parts(of: target, deadlines: deadlines) }.producer
    }

    /// Produces the lines of a target's response; each start makes a call.
    ///
    /// Otherwise like ``stream(_:deadlines:callbackQueue:)``; see `MoyaProvider.lines(of:maximumLineLength:)`.
    public func lines<Target: TargetType>(
        of target: Target, maximumLineLength: Int = 16_777_216, callbackQueue: DispatchQueue? = nil
    ) -> SignalProducer<String, MoyaError> where Base: MoyaProvider<Target> {
        base.elements(callbackQueue: callbackQueue) { $0.lines(of: target, maximumLineLength: maximumLineLength) }
            .producer
    }

    /// Produces the JSON values of a target's response; each start makes a call.
    ///
    /// An element that cannot be decoded ends the stream. Otherwise like ``stream(_:deadlines:callbackQueue:)``; see
    /// `MoyaProvider.jsonLines(of:as:using:maximumElementLength:)`.
    public func jsonLines<Target: TargetType, Value: Decodable & Sendable>(
        of target: Target, as type: Value.Type, using decoder: JSONDecoder = .moyaDefault,
        maximumElementLength: Int = 16_777_216, callbackQueue: DispatchQueue? = nil
    ) -> SignalProducer<Value, MoyaError> where Base: MoyaProvider<Target> {
        base.elements(callbackQueue: callbackQueue) {
            $0.jsonLines(of: target, as: type, using: decoder, maximumElementLength: maximumElementLength)
        }.producer
    }

    /// Produces the server-sent events of a target's response; each start makes a call.
    ///
    /// Otherwise like ``stream(_:deadlines:callbackQueue:)``; see
    /// `MoyaProvider.events(of:reconnecting:resumingAt:maximumEventLength:)`.
    public func events<Target: TargetType>(
        of target: Target, reconnecting: Reconnection? = nil,
        resumingAt cursor: (@Sendable (ServerSentEvent) -> Target?)? = nil, maximumEventLength: Int = 16_777_216,
        callbackQueue: DispatchQueue? = nil
    ) -> SignalProducer<ServerSentEvent, MoyaError> where Base: MoyaProvider<Target> {
        base.elements(callbackQueue: callbackQueue) {
            $0.events(
                of: target, reconnecting: reconnecting, resumingAt: cursor, maximumEventLength: maximumEventLength)
        }.producer
    }

    /// Produces the data of a target's server-sent events, decoded from JSON; each start makes a call.
    ///
    /// An event that cannot be decoded ends the stream. Otherwise like ``stream(_:deadlines:callbackQueue:)``; see
    /// `MoyaProvider.events(of:as:until:using:reconnecting:resumingAt:maximumEventLength:)`.
    public func events<Target: TargetType, Value: Decodable & Sendable>(
        of target: Target, as type: Value.Type, until end: String? = nil, using decoder: JSONDecoder = .moyaDefault,
        reconnecting: Reconnection? = nil, resumingAt cursor: (@Sendable (ServerSentEvent) -> Target?)? = nil,
        maximumEventLength: Int = 16_777_216, callbackQueue: DispatchQueue? = nil
    ) -> SignalProducer<Value, MoyaError> where Base: MoyaProvider<Target> {
        base.elements(callbackQueue: callbackQueue) {
            $0.events(
                of: target, as: type, until: end, using: decoder, reconnecting: reconnecting, resumingAt: cursor,
                maximumEventLength: maximumEventLength)
        }.producer
    }
}
#endif
