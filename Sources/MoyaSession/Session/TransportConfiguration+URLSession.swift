import Foundation
import MoyaTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension TransportConfiguration {
    /// Takes the settings of a session's configuration where these are the default.
    func completed(by configuration: URLSessionConfiguration) -> Self {
        var copy = self
        copy.maximumConnectionsPerHost = maximumConnectionsPerHost ?? configuration.httpMaximumConnectionsPerHost
        // With an empty dictionary, `URLSession` uses no proxy.
        if configuration.connectionProxyDictionary?.isEmpty == true, proxy == .environment { copy.proxy = .none }
        return copy
    }
}
