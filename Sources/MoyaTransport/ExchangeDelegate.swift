package import Foundation

#if canImport(FoundationNetworking)
package import FoundationNetworking
#endif

/// Makes decisions for the stages of a transport stack about an exchange, and is notified of their actions; carried by
/// the request.
///
/// Every method is called where the events of the exchange are delivered, one at a time.
package protocol ExchangeDelegate: AnyObject, Sendable {
    /// The URL of the exchange as its caller wrote it, including the fragment.
    var url: URL? { get }

    /// The names of fields that were set as credentials, and that are not sent to other origins.
    var credentialFields: Set<String> { get }

    /// `true` if ``decide(about:completion:)`` has to be called before a redirect is followed.
    var decidesAboutRedirects: Bool { get }

    /// `true` if no redirect is followed, so that even one whose body cannot be sent again is delivered.
    var followsNoRedirects: Bool { get }

    /// `true` if a redirect to another origin is delivered, whatever ``decide(about:completion:)`` would decide.
    var staysAtOrigin: Bool { get }

    /// The origins that the transport reaches through Unix domain sockets; other origins do not redirect to them.
    var unixSocketOrigins: Set<HTTPOrigin> { get }

    /// Decides about a redirect.
    ///
    /// - Parameter completion: Receives the next request, `nil` to deliver the redirect itself, or the error that ends
    ///   the exchange. Call it at most once, from any thread.
    func decide(
        about redirect: FollowUp, completion: @escaping @Sendable (Result<FollowUp?, any Error>) -> Void)

    /// The credential that answers a server's challenge; `nil` to deliver the response.
    ///
    /// - Parameters:
    ///   - scheme: The authentication scheme, as RFC 9110 spells it.
    ///   - realm: The realm that the server names.
    ///   - request: The request that was challenged.
    func credential(
        for scheme: String, realm: String?, of request: HTTPRequest
    ) -> (user: String, password: String)?

    /// The request that replaces one with an unusable response; `nil` to deliver the response.
    func replacement(for request: HTTPRequest, refusedBy head: TransportResponseHead) -> HTTPRequest?

    /// The error of a redirect that needs a body that was read and cannot be read again; `nil` to deliver the redirect.
    func refusal(toFollow url: URL) -> (any Error)?

    /// Prepares a follow-up before it is sent: applies limits, checks and records it.
    ///
    /// - Parameter metrics: The metrics of the preceding exchange.
    /// - Throws: An error, which ends the exchange.
    func willSend(_ followUp: inout FollowUp, after metrics: TransportMetrics?) throws

    /// Reports that a response is about to be stored.
    func willStore()

    /// `true` if ``decide(aboutStoring:completion:)`` has to be called before a response is stored.
    var decidesAboutStoring: Bool { get }

    /// Decides what a cache stores of a response.
    ///
    /// - Parameter completion: Receives the response to store, or `nil`. Call it at most once, from any thread.
    func decide(
        aboutStoring response: CachedURLResponse, completion: @escaping @Sendable (CachedURLResponse?) -> Void)
}

/// A request that follows another within the same attempt.
package struct FollowUp: Sendable {
    /// The cause of a follow-up.
    package enum Reason: Sendable {
        /// A redirect (RFC 9110 section 15.4), with the body that its GET lacks; `nil` if the body is kept.
        case redirect(TransportResponseHead, from: URL, droppedBody: TransportBody?)
        /// A challenge (RFC 9110 section 11.6.1), answered with that scheme.
        case challenge(scheme: String)
        /// A refused range (RFC 9110 section 15.5.17): the whole resource is requested.
        case refusedRange
    }

    /// The next request.
    package var request: HTTPRequest
    /// The URL of the request, including the fragment.
    package var url: URL?
    /// The cause.
    package let reason: Reason

    /// Makes a follow-up.
    package init(request: HTTPRequest, url: URL?, reason: Reason) {
        self.request = request
        self.url = url
        self.reason = reason
    }
}
