#if !canImport(Darwin)
import Foundation
import MoyaTransport

extension URLSessionSettings {
    /// Throws if Foundation on Linux does not support a setting.
    static func check(_ configuration: TransportConfiguration) throws(TransportFailure) {
        if configuration.certificateAuthorities != .system {
            throw onLinux("certificateAuthorities", "trusts the system's authorities alone")
        }
        if configuration.trustPolicy != nil {
            throw onLinux("trustPolicy (a session's serverTrustManager)", "does not show the server's certificates")
        }
        if configuration.clientIdentity != nil {
            throw onLinux("clientIdentity", "shows no client certificate")
        }
        if configuration.minimumTLSVersion != .tls12 {
            throw onLinux("minimumTLSVersion", "leaves the version to the system's OpenSSL")
        }
        if configuration.httpVersions != .http2WhereOffered {
            throw onLinux("httpVersions: .\(configuration.httpVersions)", "takes HTTP/2 where it is offered")
        }
        if let setting = socketSetting(of: configuration) { throw onLinux(setting.name, setting.reason) }
        switch configuration.proxy {
        case .environment: break
        case .none:
            if hasProxy(ProcessInfo.processInfo.environment) {
                throw onLinux("proxy: .none", "uses the proxies of the environment, and there are some")
            }
        case .custom:
            throw onLinux("proxy: .custom", "uses the proxies of the environment alone")
        }
    }

    /// `true` if libcurl, which Foundation uses here, finds a proxy in an environment.
    static func hasProxy(_ environment: [String: String]) -> Bool {
        ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
            .contains { environment[$0]?.isEmpty == false }
    }

    private static func onLinux(_ setting: String, _ reason: String) -> TransportFailure {
        .unsupported(setting, "on Linux \(reason); use the default transport, libcurl")
    }
}
#endif
