import Testing

#if canImport(Darwin)
import Foundation
import MoyaTransport
import Security

@testable import MoyaURLSession

/// The settings of a session that `URLSession` of Apple's systems receives.
@Suite struct NetworkSettingsTests {
    private func received(
        _ configuration: TransportConfiguration = TransportConfiguration(), _ change: (URLSessionConfiguration) -> Void
    ) -> URLSessionConfiguration {
        let network = URLSessionConfiguration.default
        change(network)
        var settings = URLSessionSettings(configuration)
        settings.network = network
        return settings.sessionConfiguration()
    }

    @Test func networksThatTheSessionForbidsAreForbidden() {
        let received = received {
            $0.allowsCellularAccess = false
            $0.allowsConstrainedNetworkAccess = false
            $0.allowsExpensiveNetworkAccess = false
        }
        #expect(!received.allowsCellularAccess)
        #expect(!received.allowsConstrainedNetworkAccess)
        #expect(!received.allowsExpensiveNetworkAccess)
    }

    @Test func storesOfTheSessionAreNotThoseOfTheTransport() {
        let received = received { $0.httpShouldSetCookies = true }
        #expect(received.urlCache == nil)
        #expect(received.httpCookieStorage == nil)
        #expect(!received.httpShouldSetCookies)
    }

    @Test func theStricterMinimumOfTLSApplies() {
        let usual = received { _ in }
        let ofTheSession = received { $0.tlsMinimumSupportedProtocolVersion = .TLSv13 }
        let ofTheTransport = received(TransportConfiguration(minimumTLSVersion: .tls13)) {
            $0.tlsMinimumSupportedProtocolVersion = .TLSv12
        }
        #expect(usual.tlsMinimumSupportedProtocolVersion == .TLSv12)
        #expect(ofTheSession.tlsMinimumSupportedProtocolVersion == .TLSv13)
        #expect(ofTheTransport.tlsMinimumSupportedProtocolVersion == .TLSv13)
    }
}
#endif
