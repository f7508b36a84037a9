package import Foundation

#if canImport(FoundationNetworking)
package import FoundationNetworking
#endif

/// Decides for the stages of a transport stack about an exchange, and hears of what they do; carried by the request of
/// the exchange.
///
/// Every method is called where the events of the exchange are delivered, one call at a time.
package protocol ExchangeDelegate: AnyObject, Sendable {
    /// The URL of the exchange as its caller wrote it, with its fragment.
    var url: URL? { get }

    /// The names of fields that were set as credentials, and that no other origin gets.
    var credentialFields: Set<String> { get }

    /// `true` if ``decide(about:completion:)`` has to be called before a redirect is followed.
    var decidesAboutRedirects: Bool { get }

    /// Decides about a redirect.
    ///
    /// - Parameter completion: Takes what is sent next, `nil` to deliver the redirect itself, or the error that ends the
    ///   exchange. Called at most once, from any thread.
    func decide(
        about redirect: FollowUp, completion: @escaping @Sendable (Result<FollowUp?, any Error>) -> Void)

    /// The credential that answers a challenge of the server's; `nil` to deliver the response.
    ///
    /// - Parameters:
    ///   - scheme: The authentication scheme, as RFC 9110 spells it.
    ///   - realm: The realm that the server names.
    ///   - request: The request that was challenged.
    func credential(
        for scheme: String, realm: String?, of request: HTTPRequest
    ) -> (user: String, password: String)?

    /// The request that replaces one whose response is of no use; `nil` to deliver the response.
    func replacement(for request: HTTPRequest, refusedBy head: TransportResponseHead) -> HTTPRequest?

    /// The error of a redirect that needs a body which was read and cannot be read again; `nil` to deliver the redirect.
    func refusal(toFollow url: URL) -> (any Error)?

    /// Readies a follow-up, which is sent next: bounds, checks, records.
    ///
    /// - Parameter metrics: The metrics of the exchange that it follows.
    /// - Throws: The error that ends the exchange instead.
    func willSend(_ followUp: inout FollowUp, after metrics: TransportMetrics?) throws

    /// `true` if ``willStore(_:completion:)`` has to be called before a response is stored.
    var decidesAboutStoring: Bool { get }

    /// Decides what is stored of a response.
    ///
    /// - Parameter completion: Takes what is stored, or `nil`. Called at most once, from any thread.
    func willStore(
        _ response: CachedURLResponse, completion: @escaping @Sendable (CachedURLResponse?) -> Void)
}

/// A request that follows another within the same attempt.
package struct FollowUp: Sendable {
    /// The cause of a follow-up.
    package enum Reason: Sendable {
        /// A redirect (RFC 9110 section 15.4).
        case redirect(TransportResponseHead, from: URL, keepsBody: Bool)
        /// A challenge (RFC 9110 section 11.6.1), answered by that scheme.
        case challenge(scheme: String)
        /// A refusal of a part of the resource (RFC 9110 section 15.5.17): the whole is requested.
        case refusedRange
    }

    /// The request that is sent next.
    package var request: HTTPRequest
    /// The URL of the request, with its fragment.
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
