#if os(Linux)
import CMoyaCurl
import MoyaTesting
import MoyaTransport
import Testing

@testable import MoyaCurl

@Suite struct TransportAuthenticationCurlTests {
    private func authentication(_ scheme: TransportAuthentication.Scheme) -> TransportAuthentication {
        TransportAuthentication(scheme: scheme, user: "user", password: "secret")
    }

    @Test func schemeNeedsItsFeature() {
        #expect(TransportAuthentication.Scheme.digest.isSupported { _ in false })
        #expect(TransportAuthentication.Scheme.ntlm.isSupported { $0 == CURL_VERSION_NTLM })
        #expect(!TransportAuthentication.Scheme.ntlm.isSupported { $0 != CURL_VERSION_NTLM })
        #expect(TransportAuthentication.Scheme.negotiate.isSupported { $0 == CURL_VERSION_SPNEGO })
        #expect(!TransportAuthentication.Scheme.negotiate.isSupported { $0 != CURL_VERSION_SPNEGO })
    }

    @Test func aSchemeThatIsMissingIsNamed() {
        let failure = TransportFailure.missing("authentication: \(TransportAuthentication.Scheme.negotiate.rawValue)")
        #expect(failure.kind == .unsupported)
        #expect(failure.message.contains("Negotiate"))
    }

    @Test func thePasswordIsNotPrinted() {
        let authentication = authentication(.digest)
        #expect("\(authentication)" == "Digest as user")
        var dumped = ""
        dump(authentication, to: &dumped)
        #expect(!dumped.contains("secret"))
    }
}
#endif
