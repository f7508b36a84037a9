public import Foundation

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// The sample response of a stub.
public enum EndpointSampleResponse: Sendable {
    /// A status code and a body.
    case networkResponse(Int, Data)
    /// A response and a body.
    case response(HTTPURLResponse, Data)
    /// A failure of the network.
    case networkError(NSError)
}
