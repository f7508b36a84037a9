import Foundation

/// The requests that stay on this machine, and so need no encryption.
package struct LoopbackTraffic: Sendable {
    private let proxy: TransportConfiguration.ProxySetting
    /// The names that lead to another machine, in their canonical spelling, at any port.
    private let hostsElsewhere: Set<String>

    #if canImport(Darwin)
    private static let environmentIsVariables = false
    #else
    private static let environmentIsVariables = true
    #endif

    package init(
        proxy: TransportConfiguration.ProxySetting, overrides: [TransportConfiguration.ResolveOverride] = []
    ) {
        self.proxy = proxy
        let elsewhere = overrides.filter { !$0.addresses.allSatisfy(LoopbackHost.contains) }
        hostsElsewhere = Set(elsewhere.compactMap { CanonicalHost.of($0.host) })
    }

    /// `true` if a request without TLS to a host is for this machine, and no other machine carries it.
    package func contains(_ host: String) -> Bool {
        guard LoopbackHost.contains(host) else { return false }
        if !hostsElsewhere.isEmpty, CanonicalHost.of(host).map(hostsElsewhere.contains) ?? true { return false }
        switch proxy {
        case .none: return true
        case .custom(let proxy):
            return LoopbackHost.contains(proxy.host) || proxy.exceptions.contains { Self.exempts($0, host) }
        case .environment:
            // The system's proxies there: they except the loopback interface.
            guard Self.environmentIsVariables else { return true }
            let variables = ProcessInfo.processInfo.environment
            // A proxy for `http` may also be on this machine, but its address can be written in many ways.
            guard ["http_proxy", "all_proxy", "ALL_PROXY"].contains(where: { variables[$0]?.isEmpty == false }) else {
                return true
            }
            let exceptions = variables["no_proxy"] ?? variables["NO_PROXY"] ?? ""
            // libcurl reads `*` only alone, and no brackets; an older one reads no networks.
            return exceptions == "*"
                || exceptions.split { $0 == "," || $0 == " " }.contains { $0.lowercased() == Self.bare(host) }
        }
    }

    /// `true` if an exception of a proxy is every host, this one, or all addresses of the loopback interface.
    private static func exempts(_ exception: String, _ host: String) -> Bool {
        let (host, exception) = (bare(host), bare(exception))
        return exception == "*" || exception == host || (exception == "127.0.0.0/8" && host.hasPrefix("127."))
    }

    private static func bare(_ host: String) -> String {
        host.lowercased().filter { $0 != "[" && $0 != "]" }
    }
}
