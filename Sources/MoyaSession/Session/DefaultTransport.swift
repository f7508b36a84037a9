import Foundation
import MoyaTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

#if os(Linux)
import MoyaCurl
#else
import MoyaURLSession
#endif

/// The transport of a session that is not given one.
enum DefaultTransport {
    /// `true` if the transport receives the network settings of a session's configuration.
    static var takesNetworkSettings: Bool {
        #if canImport(Darwin)
        true
        #else
        false
        #endif
    }

    /// Makes the transport.
    ///
    /// - Parameters:
    ///   - configuration: The settings of every exchange.
    ///   - network: A copy of the session's configuration.
    static func make(_ configuration: TransportConfiguration, network: URLSessionConfiguration) -> any Transport {
        #if os(Linux)
        CurlTransport(configuration: configuration)
        #elseif canImport(Darwin)
        URLSessionTransport(configuration: configuration, network: network)
        #else
        URLSessionTransport(configuration: configuration)
        #endif
    }
}
