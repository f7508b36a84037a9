import MoyaTransport

/// A transport stage that follows redirects and answers challenges (RFC 9110 sections 15.4 and 11.6).
///
/// Redirects follow ``RedirectRules``. A challenge is answered once, and again by another scheme if Negotiate was
/// refused, with the credential of the request's delegate, and only at the original origin of the request.
struct FollowUps: WrappingTransport {
    let inner: any Transport
    /// The fields that are not sent to other origins.
    var credentials = CredentialFields()
    /// `true` if an inner transport also calls the delegate; otherwise it is removed, so that a stored request does not
    /// retain its caller.
    var handsOnDelegate = false

    func start(_ request: HTTPRequest, delivering sink: any TransportSink) -> any TransportExchange {
        let exchange = FollowUpExchange(
            request: request, inner: inner, credentials: credentials, handsOnDelegate: handsOnDelegate, sink: sink)
        exchange.start()
        return exchange
    }
}
