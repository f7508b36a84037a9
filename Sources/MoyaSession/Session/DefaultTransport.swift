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

/// The innermost transport of a session, and the routes that the session's cookies and challenges depend on.
struct SessionTransport {
    let base: any Transport
    let loopback: LoopbackTraffic
    let unixSockets: [TransportConfiguration.UnixSocket]

    /// Uses a given transport, or makes the default one.
    ///
    /// - Parameters:
    ///   - given: The transport, to which the other parameters do not apply.
    ///   - configuration: The settings of every exchange.
    ///   - trustManager: Evaluates the trust of servers, in place of the configuration's policy.
    ///   - network: A copy of the session's configuration.
    init(
        _ given: (any Transport)?, _ configuration: TransportConfiguration, _ trustManager: ServerTrustManager?,
        network: URLSessionConfiguration
    ) {
        if let given {
            (base, loopback, unixSockets) = (given, LoopbackTraffic(proxy: .none), [])
            return
        }
        var configuration = configuration
        if let trustManager { configuration.trustPolicy = ManagedTrustPolicy(manager: trustManager) }
        base = DefaultTransport.make(configuration, network: network)
        loopback = LoopbackTraffic(proxy: configuration.proxy, overrides: configuration.resolveOverrides)
        unixSockets = configuration.unixSockets
    }
}

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
