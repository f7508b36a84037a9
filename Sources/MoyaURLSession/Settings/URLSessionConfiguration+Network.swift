#if canImport(Darwin)
import Foundation
import Security

extension URLSessionConfiguration {
    /// Takes the settings that this transport leaves to `URLSession`; the minimum version of TLS is not among them.
    func takeNetworkSettings(of other: URLSessionConfiguration) {
        allowsCellularAccess = other.allowsCellularAccess
        allowsConstrainedNetworkAccess = other.allowsConstrainedNetworkAccess
        allowsExpensiveNetworkAccess = other.allowsExpensiveNetworkAccess
        #if os(iOS) || os(visionOS)
        multipathServiceType = other.multipathServiceType
        #endif
        networkServiceType = other.networkServiceType
        if #available(macOS 13, iOS 16.1, tvOS 16.1, watchOS 9.1, visionOS 1, *) {
            requiresDNSSECValidation = other.requiresDNSSECValidation
        }
        tlsMaximumSupportedProtocolVersion = other.tlsMaximumSupportedProtocolVersion
    }
}
#endif
