#if ReactiveMoya
public import Foundation
public import Moya
public import ReactiveSwift

extension Reactive {
    /// Calls of a target, one for each start, that give the response as it comes: its head, then its chunks.
    ///
    /// Disposing of what a start returns ends its exchange. The provider is not kept: released during a stream, it ends it as
    /// cancelled; released before a start, that never gets an event. The next element is read when the observer has
    /// taken the one before, so that a slow one holds the server back. Events come on the callback queue: this one, else the
    /// provider's, else the main queue.
    ///
    /// - Parameters:
    ///   - target: The target of the call.
    ///   - deadlines: How long the call may take; as the target and the provider say where a limit is `nil`.
    ///   - callbackQueue: The queue of the events.
    public func stream<Target: TargetType>(
        _ target: Target, deadlines: Deadlines? = nil, callbackQueue: DispatchQueue? = nil
    ) -> SignalProducer<StreamPart, MoyaError> where Base: MoyaProvider<Target> {
        base.elements(callbackQueue: callbackQueue) { $0.parts(of: target, deadlines: deadlines) }.producer
    }

    /// Calls of a target, one for each start, that give the lines of the response.
    ///
    /// Otherwise as ``stream(_:deadlines:callbackQueue:)``; see `MoyaProvider.lines(of:maximumLineLength:)`.
    public func lines<Target: TargetType>(
        of target: Target, maximumLineLength: Int = 16_777_216, callbackQueue: DispatchQueue? = nil
    ) -> SignalProducer<String, MoyaError> where Base: MoyaProvider<Target> {
        base.elements(callbackQueue: callbackQueue) { $0.lines(of: target, maximumLineLength: maximumLineLength) }
            .producer
    }

    /// Calls of a target, one for each start, that give the JSON values of the response.
    ///
    /// An element that cannot be decoded ends the stream. Otherwise as ``stream(_:deadlines:callbackQueue:)``; see
    /// `MoyaProvider.jsonLines(of:as:using:maximumElementLength:)`.
    public func jsonLines<Target: TargetType, Value: Decodable & Sendable>(
        of target: Target, as type: Value.Type, using decoder: JSONDecoder = JSONDecoder(),
        maximumElementLength: Int = 16_777_216, callbackQueue: DispatchQueue? = nil
    ) -> SignalProducer<Value, MoyaError> where Base: MoyaProvider<Target> {
        base.elements(callbackQueue: callbackQueue) {
            $0.jsonLines(of: target, as: type, using: decoder, maximumElementLength: maximumElementLength)
        }.producer
    }

    /// Calls of a target, one for each start, that give the events of the server.
    ///
    /// Otherwise as ``stream(_:deadlines:callbackQueue:)``; see
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

    /// Calls of a target, one for each start, that give the data of the server's events, decoded from JSON.
    ///
    /// An event that cannot be decoded ends the stream. Otherwise as ``stream(_:deadlines:callbackQueue:)``; see
    /// `MoyaProvider.events(of:as:until:using:reconnecting:resumingAt:maximumEventLength:)`.
    public func events<Target: TargetType, Value: Decodable & Sendable>(
        of target: Target, as type: Value.Type, until end: String? = nil, using decoder: JSONDecoder = JSONDecoder(),
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
