#if canImport(FoundationNetworking)
public import FoundationNetworking
#else
public import Foundation
#endif

/// A ``Request``'s view of the session that it belongs to; a ``Session`` is the only implementation.
public protocol RequestDelegate: AnyObject, Sendable {
    /// A copy of the configuration that the session was made with.
    var sessionConfiguration: URLSessionConfiguration { get }
    /// `true` if adding the first response handler starts a request.
    var startRequestsImmediately: Bool { get }
}

extension Session: RequestDelegate {}
