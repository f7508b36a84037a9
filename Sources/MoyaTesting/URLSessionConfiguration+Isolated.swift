#if canImport(FoundationNetworking)
public import FoundationNetworking
#else
public import Foundation
#endif

extension URLSessionConfiguration {
    /// A configuration for tests, whose cookies and credentials are in memory, without a cache and header fields.
    ///
    /// ```swift
    /// let session = Session(configuration: .isolated, transport: ScriptedTransport(.response(200)))
    /// ```
    ///
    /// Otherwise, sessions use the process's shared stores: a test would see the cookies of other tests and, where the
    /// stores are files, of earlier runs. Each use makes new stores, which the sessions of one configuration share.
    public static var isolated: URLSessionConfiguration {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        return configuration
    }
}
