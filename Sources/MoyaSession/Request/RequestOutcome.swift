import Foundation
package import MoyaTransport

#if canImport(FoundationNetworking)
package import FoundationNetworking
#endif

/// The result of a request for its caller.
package struct RequestOutcome: Sendable {
    /// The request as it was first sent.
    package let sent: (any URLRequestConvertible)?
    /// The status and fields of the response.
    package let head: TransportResponseHead?
    /// The URL of the response.
    package let location: ExchangeLocation?
    /// The body; `nil` if it is empty or was written to a file.
    package let data: Data?
    /// The downloaded file.
    package let fileURL: URL?
    package let error: SessionError?
    package var metrics: TransportMetrics? { storedMetrics?.value }
    private let storedMetrics: StoredMetrics?
    /// The trailer fields.
    package let trailers: [HTTPField]
    /// The names, in lower case, of the fields that are credentials because the app or an interceptor says so.
    package let declaredCredentials: Set<String>

    init(of request: Request, _ state: borrowing MutableState) {
        sent = state.requests.last ?? (state.isBuilt ? request.source : nil)
        (head, location, data) = state.lastResponse
        fileURL = state.fileURL
        error = state.error
        storedMetrics = state.storedMetrics
        trailers = state.rare?.trailers ?? []
        declaredCredentials = request.declaredCredentials(state)
    }

    package var request: URLRequest? { sent?.urlRequest }
    package var url: URL? { location?.url }

    /// The response, made anew on each access.
    package var httpResponse: HTTPURLResponse? {
        head.flatMap { head in url.flatMap { HTTPURLResponse(head: head, url: $0) } }
    }
}
