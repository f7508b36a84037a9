#if canImport(FoundationNetworking)
public import FoundationNetworking
#else
public import Foundation
#endif

/// The session as seen by its ``Request``; a ``Session`` is the only implementation.
public protocol RequestDelegate: AnyObject, Sendable {
    /// A copy of the session's configuration.
    var sessionConfiguration: URLSessionConfiguration { get }
    /// `true` if adding the first response handler starts a request.
    var startRequestsImmediately: Bool { get }
}

extension Session: RequestDelegate {}
