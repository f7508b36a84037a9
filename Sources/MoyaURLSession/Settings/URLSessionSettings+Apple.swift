import Foundation
import MoyaTransport

// Free of conditions, so that Linux compiles and tests the decisions that Apple's systems use.
extension URLSessionSettings {
    /// Throws if `URLSession` of Apple's systems does not support a setting.
    static func checkOnApple(_ configuration: TransportConfiguration) throws(TransportFailure) {
        if configuration.httpVersions != .http2WhereOffered {
            throw .unsupported("httpVersions: .\(configuration.httpVersions)", "takes HTTP/2 where it is offered")
        }
        if let setting = socketSetting(of: configuration) { throw .unsupported(setting.name, setting.reason) }
        guard case .custom(let proxy) = configuration.proxy else { return }
        if proxy.kind == .https { throw .unsupported("proxy: https", "speaks to proxies without TLS") }
        if proxy.credentials != nil {
            throw .unsupported("proxy: credentials", "takes those of the system's settings alone")
        }
        if !proxy.exceptions.isEmpty {
            throw .unsupported("proxy: exceptions", "takes those of the system's settings alone")
        }
        if proxy.host.contains("@") {
            // URLSession has no setting for them, and the message must not quote a password.
            throw TransportFailure(
                .unsupported,
                message: "proxy: the host contains @. Give a host without a user name and a password.")
        }
        if proxy.host.isEmpty || !(1...65_535).contains(proxy.port) {
            throw TransportFailure(.unsupported, message: "proxy: \(proxy) is no host and port.")
        }
    }

    /// The setting in `URLSession`'s form: `nil` for the system's proxies, an empty dictionary for none.
    ///
    /// Apps have no useful environment: the system's settings take its place. The names of the keys are those of
    /// `CFNetwork`, which has constants for all of them only on macOS.
    static func proxies(_ setting: TransportConfiguration.ProxySetting) -> [AnyHashable: Any]? {
        switch setting {
        case .environment: nil
        case .none: [:]
        case .custom(let proxy) where proxy.kind == .socks5:
            ["SOCKSEnable": 1, "SOCKSProxy": proxy.host, "SOCKSPort": proxy.port]
        case .custom(let proxy):
            [
                "HTTPEnable": 1, "HTTPProxy": proxy.host, "HTTPPort": proxy.port,
                "HTTPSEnable": 1, "HTTPSProxy": proxy.host, "HTTPSPort": proxy.port,
            ]
        }
    }
}
