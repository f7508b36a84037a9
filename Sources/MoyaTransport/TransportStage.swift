/// A transport around a transport, as a session is given it: a delay, a recording, a fault, a tracer.
///
///     extension TransportStage {
///         static func delayed(by delay: DispatchTimeInterval) -> Self {
///             Self { Delayed(inner: $0, delay: delay) }
///         }
///     }
///
/// A session's own stages (redirects and challenges, cookies, the cache) stand around those that it is given.
public struct TransportStage: Sendable {
    private let wrapping: @Sendable (any Transport) -> any Transport

    /// Makes a stage.
    ///
    /// - Parameter wrapping: Gives the transport that stands around another; called once, when the session is made.
    public init(_ wrapping: @escaping @Sendable (_ inner: any Transport) -> any Transport) {
        self.wrapping = wrapping
    }

    /// The transport that stands around another; events arrive where user code may run only if they do so from both.
    public func callAsFunction(_ inner: any Transport) -> any Transport {
        StagedTransport(outer: wrapping(inner), inner: inner)
    }
}

/// A transport around another, which need not say what holds for both.
private struct StagedTransport: Transport {
    let outer: any Transport
    let inner: any Transport

    var deliversWhereCodeMayBlock: Bool { outer.deliversWhereCodeMayBlock && inner.deliversWhereCodeMayBlock }
    var configurationFailure: TransportFailure? { outer.configurationFailure ?? inner.configurationFailure }

    func start(_ request: HTTPRequest, delivering sink: any TransportSink) -> any TransportExchange {
        outer.start(request, delivering: sink)
    }
}
