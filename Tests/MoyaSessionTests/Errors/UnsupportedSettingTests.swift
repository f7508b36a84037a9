import Foundation
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The deprecated setting, without a warning.
private protocol Pipelining: AnyObject {
    var httpShouldUsePipelining: Bool { get set }
}

extension URLSessionConfiguration: Pipelining {}

@Suite struct UnsupportedSettingTests {
    private final class Intercepted: URLProtocol {}

    private func session(_ change: (URLSessionConfiguration) -> Void) -> (Session, StubbedTransport) {
        let configuration = URLSessionConfiguration.ephemeral
        change(configuration)
        let transport = StubbedTransport(.response(200))
        return (
            Session(configuration: configuration, startRequestsImmediately: false, transport: transport), transport
        )
    }

    private func expectRefusal(
        of name: String, _ change: (URLSessionConfiguration) -> Void, sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        let (session, transport) = session(change)
        #expect(session.unsupportedSettings.map(\.name) == [name], sourceLocation: sourceLocation)
        let error = await session.request(URLRequest.to("http://a.example/")).outcome().error
        guard case .urlRequestValidationFailed(.unsupportedSetting(let setting)) = error else {
            Issue.record("\(String(describing: error))", sourceLocation: sourceLocation)
            return
        }
        #expect(setting.name == name, sourceLocation: sourceLocation)
        #expect(error?.localizedDescription.contains(name) == true, sourceLocation: sourceLocation)
        #expect(setting.description.contains(setting.advice), sourceLocation: sourceLocation)
        #expect(transport.requests.isEmpty, sourceLocation: sourceLocation)
    }

    @Test func aProxyDictionaryIsRefused() async {
        await expectRefusal(of: "connectionProxyDictionary") { $0.connectionProxyDictionary = ["HTTPProxy": "p"] }
    }

    @Test func forbiddenCellularAccessIsRefused() async {
        await expectRefusal(of: "allowsCellularAccess") { $0.allowsCellularAccess = false }
    }

    @Test func aServiceTypeIsRefused() async {
        await expectRefusal(of: "networkServiceType") { $0.networkServiceType = .background }
    }

    @Test func protocolClassesAreRefused() async {
        await expectRefusal(of: "protocolClasses") { $0.protocolClasses = [Intercepted.self] }
    }

    @Test func pipeliningIsRefused() async {
        await expectRefusal(of: "httpShouldUsePipelining") { ($0 as any Pipelining).httpShouldUsePipelining = true }
    }

    @Test func everySettingIsNamed() {
        let (session, _) = session {
            $0.allowsCellularAccess = false
            $0.networkServiceType = .background
        }
        #expect(Set(session.unsupportedSettings.map(\.name)) == ["allowsCellularAccess", "networkServiceType"])
    }

    @Test func defaultSettingsAreAccepted() async {
        for configuration in [URLSessionConfiguration.default, .ephemeral, .af.default, .af.ephemeral] {
            let session = Session(configuration: configuration, transport: StubbedTransport(.silence))
            #expect(session.unsupportedSettings.isEmpty)
        }
    }

    @Test func emptyProxyDictionaryIsAccepted() {
        let (session, _) = session { $0.connectionProxyDictionary = [:] }
        #expect(session.unsupportedSettings.isEmpty)
    }

    @Test func emptyProxyDictionaryMeansNoProxy() {
        let configuration = URLSessionConfiguration.ephemeral
        #expect(TransportConfiguration().completed(by: configuration).proxy == .environment)
        configuration.connectionProxyDictionary = [:]
        #expect(TransportConfiguration().completed(by: configuration).proxy == .none)
        let chosen = TransportConfiguration.ProxySetting.custom(.init(.http, host: "proxy.test", port: 1))
        #expect(TransportConfiguration(proxy: chosen).completed(by: configuration).proxy == chosen)
    }

    // MARK: Settings that URLSession receives

    @Test func networkSettingsThatArePassedOnAreAccepted() {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.allowsCellularAccess = false
        configuration.networkServiceType = .background
        #expect(UnsupportedSetting.all(in: configuration, isPassedOn: true).isEmpty)
        #expect(UnsupportedSetting.all(in: configuration, isPassedOn: false).count == 2)
    }

    static let appleSettings: [(String, AppleSettings)] = [
        ("allowsConstrainedNetworkAccess", AppleSettings(allowsConstrainedNetworkAccess: false)),
        ("allowsExpensiveNetworkAccess", AppleSettings(allowsExpensiveNetworkAccess: false)),
        ("multipathServiceType", AppleSettings(multipathServiceType: 1)),
        ("requiresDNSSECValidation", AppleSettings(requiresDNSSECValidation: true)),
        ("tlsMaximumSupportedProtocolVersion", AppleSettings(tlsMaximumSupportedProtocolVersion: 0x0303)),
        ("tlsMinimumSupportedProtocolVersion", AppleSettings(tlsMinimumSupportedProtocolVersion: 0x0303)),
        ("tlsMinimumSupportedProtocolVersion", AppleSettings(tlsMinimumSupportedProtocolVersion: 0x0304)),
    ]

    @Test(arguments: appleSettings.indices) func aSettingOfAppleIsRefusedUnlessItIsPassedOn(index: Int) {
        let (name, settings) = Self.appleSettings[index]
        #expect(settings.unsupported(besides: AppleSettings(), isPassedOn: false).map(\.name) == [name])
        #expect(settings.unsupported(besides: AppleSettings(), isPassedOn: true).isEmpty)
        #expect(settings.unsupported(besides: settings, isPassedOn: false).isEmpty)
    }

    @Test(arguments: [
        ("waitsForConnectivity", AppleSettings(waitsForConnectivity: true)),
        ("proxyConfigurations", AppleSettings(hasProxyConfigurations: true)),
        ("tlsMinimumSupportedProtocolVersion", AppleSettings(tlsMinimumSupportedProtocolVersion: 0x0302)),
    ])
    func aSettingOfAppleThatIsNeverPassedOnIsRefused(name: String, settings: AppleSettings) {
        for isPassedOn in [true, false] {
            let refused = settings.unsupported(besides: AppleSettings(), isPassedOn: isPassedOn)
            #expect(refused.map(\.name) == [name])
        }
    }

    #if canImport(Darwin)
    @Test func theSystemsTransportReceivesTheNetworkSettings() {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.allowsExpensiveNetworkAccess = false
        configuration.allowsConstrainedNetworkAccess = false
        #expect(Session(configuration: configuration).unsupportedSettings.isEmpty)
    }

    @Test func networkSettingsAreRefusedForAnotherTransport() async {
        await expectRefusal(of: "allowsExpensiveNetworkAccess") { $0.allowsExpensiveNetworkAccess = false }
        await expectRefusal(of: "waitsForConnectivity") { $0.waitsForConnectivity = true }
    }
    #endif
}
