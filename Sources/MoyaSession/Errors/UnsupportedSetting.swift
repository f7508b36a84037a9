import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A setting of a `URLSessionConfiguration` that a session cannot honour, with an alternative.
///
/// A session with such a setting sends nothing: each of its requests ends with
/// ``SessionError/URLRequestValidationFailureReason/unsupportedSetting(_:)``. The initializer of ``Session``
/// names the settings that are used.
///
/// On Apple platforms, `URLSession` also receives the configuration's network settings, unless the session is given
/// a transport: `allowsCellularAccess`, `allowsConstrainedNetworkAccess`, `allowsExpensiveNetworkAccess`,
/// `multipathServiceType`, `networkServiceType`, `requiresDNSSECValidation`, `tlsMaximumSupportedProtocolVersion`,
/// and TLS 1.2 or 1.3 as `tlsMinimumSupportedProtocolVersion`. Settings of background sessions alone, such as
/// `isDiscretionary`, have no effect. Neither have `shouldUseExtendedBackgroundIdleMode`, `usesClassicLoadingMode`,
/// `allowsUltraConstrainedNetworkAccess` and `enablesEarlyData`, which are not read.
public struct UnsupportedSetting: Sendable, Hashable, CustomStringConvertible {
    /// The name of the `URLSessionConfiguration` property.
    public let name: String
    /// The alternative.
    public let advice: String

    /// The name and the advice.
    public var description: String { "\(name) cannot be honoured: \(advice)" }

    /// The settings of a configuration that differ from the default and cannot be honoured.
    ///
    /// - Parameters:
    ///   - configuration: The configuration.
    ///   - isPassedOn: `true` if the transport receives the configuration's network settings.
    static func all(in configuration: URLSessionConfiguration, isPassedOn: Bool) -> [UnsupportedSetting] {
        let standard = URLSessionConfiguration.default
        var settings: [UnsupportedSetting] = []
        settings.add(
            "identifier", "background sessions need a system that carries on for the app; use a default configuration.",
            when: configuration.identifier != nil)
        settings.add(
            "connectionProxyDictionary", "give the session a TransportConfiguration with a proxy.",
            when: configuration.connectionProxyDictionary?.isEmpty == false)
        settings.add(
            "httpShouldUsePipelining", "HTTP/2 does what pipelining was for; leave it off.",
            when: (configuration as any Pipelining).httpShouldUsePipelining)
        settings.add(
            "allowsCellularAccess", "ask NetworkReachabilityManager before calling; leave it on.",
            when: !isPassedOn && configuration.allowsCellularAccess != standard.allowsCellularAccess)
        settings.add(
            "networkServiceType", "the socket's class of service is not set; leave it at default.",
            when: !isPassedOn && configuration.networkServiceType != standard.networkServiceType)
        settings.add(
            "protocolClasses", "give the session a transport of your own, which sees every request.",
            when: !isSame(configuration.protocolClasses, standard.protocolClasses))
        #if canImport(Darwin)
        settings += AppleSettings(configuration).unsupported(besides: AppleSettings(standard), isPassedOn: isPassedOn)
        #endif
        return settings
    }

    private static func isSame(_ one: [AnyClass]?, _ other: [AnyClass]?) -> Bool {
        (one ?? []).elementsEqual(other ?? []) { $0 == $1 }
    }
}

extension [UnsupportedSetting] {
    /// Adds a setting, if it is set.
    mutating func add(_ name: String, _ advice: String, when isSet: Bool) {
        if isSet { append(UnsupportedSetting(name: name, advice: advice)) }
    }
}

/// Reads a setting that Foundation deprecates, without a warning.
private protocol Pipelining {
    var httpShouldUsePipelining: Bool { get }
}

extension URLSessionConfiguration: Pipelining {}
