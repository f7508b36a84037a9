import MoyaTransport

/// Follows redirects and answers challenges (RFC 9110 sections 15.4 and 11.6): a transport around a transport.
///
/// Redirects are followed by ``RedirectRules``. A challenge is answered once, with the credential that the request's
/// delegate has for it, and only at the origin that the request was first sent to.
struct FollowUps: Transport {
    let inner: any Transport
    /// The fields that no other origin gets.
    var credentials = CredentialFields()
    /// `true` if an inner transport calls the delegate too; otherwise it is not handed on, so that a stored request
    /// does not keep its caller alive.
    var handsOnDelegate = false

    var deliversWhereCodeMayBlock: Bool { inner.deliversWhereCodeMayBlock }
    var configurationFailure: TransportFailure? { inner.configurationFailure }

    func start(_ request: HTTPRequest, delivering sink: any TransportSink) -> any TransportExchange {
        let exchange = FollowUpExchange(
            request: request, inner: inner, credentials: credentials, handsOnDelegate: handsOnDelegate, sink: sink)
        exchange.start()
        return exchange
    }
}
