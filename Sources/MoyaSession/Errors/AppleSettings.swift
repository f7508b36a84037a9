#if canImport(Darwin)
import Foundation
import Network
import Security
#endif

/// The settings that only the `URLSessionConfiguration` of Apple's systems has, as plain values.
///
/// Only the reading of a configuration has conditions, so that Linux compiles and tests the decisions.
struct AppleSettings: Hashable, Sendable {
    var allowsConstrainedNetworkAccess = true
    var allowsExpensiveNetworkAccess = true
    /// The raw value; 0 on systems without it.
    var multipathServiceType = 0
    var hasProxyConfigurations = false
    var requiresDNSSECValidation = false
    /// The number of the version in a handshake (RFC 8446 section 4.1.2).
    var tlsMaximumSupportedProtocolVersion: UInt16 = 0x0304
    /// The number of the version in a handshake.
    var tlsMinimumSupportedProtocolVersion: UInt16 = 0x0301
    var waitsForConnectivity = false

    /// TLS 1.2 and 1.3, which every transport has as a minimum.
    private static let minimumVersions: Set<UInt16> = [0x0303, 0x0304]

    /// The settings that differ from the default and cannot be honoured.
    ///
    /// - Parameters:
    ///   - standard: The default.
    ///   - isPassedOn: `true` if the transport receives the configuration's network settings.
    func unsupported(besides standard: AppleSettings, isPassedOn: Bool) -> [UnsupportedSetting] {
        var settings: [UnsupportedSetting] = []
        func differs(_ setting: KeyPath<AppleSettings, some Equatable>) -> Bool {
            self[keyPath: setting] != standard[keyPath: setting]
        }
        settings.add(
            "waitsForConnectivity", "give the provider the middleware WaitForConnectivity; leave it off.",
            when: differs(\.waitsForConnectivity))
        settings.add(
            "proxyConfigurations", "give the session a TransportConfiguration with a proxy.",
            when: differs(\.hasProxyConfigurations))
        let isKept = isPassedOn && Self.minimumVersions.contains(tlsMinimumSupportedProtocolVersion)
        settings.add(
            "tlsMinimumSupportedProtocolVersion",
            "give the session a TransportConfiguration with a minimumTLSVersion, of which TLS 1.2 is the lowest.",
            when: !isKept && differs(\.tlsMinimumSupportedProtocolVersion))
        guard !isPassedOn else { return settings }
        let advice = "the session was given a transport; set it there."
        settings.add("allowsConstrainedNetworkAccess", advice, when: differs(\.allowsConstrainedNetworkAccess))
        settings.add("allowsExpensiveNetworkAccess", advice, when: differs(\.allowsExpensiveNetworkAccess))
        settings.add("multipathServiceType", advice, when: differs(\.multipathServiceType))
        settings.add("requiresDNSSECValidation", advice, when: differs(\.requiresDNSSECValidation))
        settings.add("tlsMaximumSupportedProtocolVersion", advice, when: differs(\.tlsMaximumSupportedProtocolVersion))
        return settings
    }
}

#if canImport(Darwin)
extension AppleSettings {
    /// Reads a configuration.
    init(_ configuration: URLSessionConfiguration) {
        self.init()
        allowsConstrainedNetworkAccess = configuration.allowsConstrainedNetworkAccess
        allowsExpensiveNetworkAccess = configuration.allowsExpensiveNetworkAccess
        #if os(iOS) || os(visionOS)
        multipathServiceType = configuration.multipathServiceType.rawValue
        #endif
        if #available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *) {
            hasProxyConfigurations = !configuration.proxyConfigurations.isEmpty
        }
        if #available(macOS 13, iOS 16.1, tvOS 16.1, watchOS 9.1, visionOS 1, *) {
            requiresDNSSECValidation = configuration.requiresDNSSECValidation
        }
        tlsMaximumSupportedProtocolVersion = configuration.tlsMaximumSupportedProtocolVersion.rawValue
        tlsMinimumSupportedProtocolVersion = configuration.tlsMinimumSupportedProtocolVersion.rawValue
        waitsForConnectivity = configuration.waitsForConnectivity
    }
}
#endif
