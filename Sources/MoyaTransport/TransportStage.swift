/// A transport that wraps another one, for a session: a delay, a recording, a fault, a tracer.
///
///     extension TransportStage {
///         static func delayed(by delay: DispatchTimeInterval) -> Self {
///             Self { Delayed(inner: $0, delay: delay) }
///         }
///     }
///
/// A session's own stages (redirects and challenges, cookies, the cache) wrap the given stages. The cache therefore does
/// not see what a stage adds: add credentials with an interceptor, so that users share no stored response.
public struct TransportStage: Sendable {
    private let wrapping: @Sendable (any Transport) -> any Transport

    /// Makes a stage.
    ///
    /// - Parameter wrapping: Returns the transport that wraps another; called once, when the session is made.
    public init(_ wrapping: @escaping @Sendable (_ inner: any Transport) -> any Transport) {
        self.wrapping = wrapping
    }

    /// Returns the transport that wraps another; user code may run in event handlers only if both transports allow it.
    public func callAsFunction(_ inner: any Transport) -> any Transport {
        StagedTransport(outer: wrapping(inner), inner: inner)
    }
}

/// A wrapping transport that combines the properties of both transports.
private struct StagedTransport: Transport {
    let outer: any Transport
    let inner: any Transport

    var deliversWhereCodeMayBlock: Bool { outer.deliversWhereCodeMayBlock && inner.deliversWhereCodeMayBlock }
    var configurationFailure: TransportFailure? { outer.configurationFailure ?? inner.configurationFailure }
    var clientIdentityDigest: String? { outer.clientIdentityDigest ?? inner.clientIdentityDigest }
    var authenticationSchemes: Set<TransportAuthentication.Scheme> {
        outer.authenticationSchemes.intersection(inner.authenticationSchemes)
    }

    func start(_ request: HTTPRequest, delivering sink: any TransportSink) -> any TransportExchange {
        outer.start(request, delivering: sink)
    }
}
