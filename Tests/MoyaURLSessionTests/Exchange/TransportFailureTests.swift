import Foundation
import MoyaTransport
import Testing

@testable import MoyaURLSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The failure for an error of `URLSession`.
@Suite struct TransportFailureTests {
    private func failure(_ code: URLError.Code, hasHead: Bool = false) -> TransportFailure {
        TransportFailure(NSError(domain: NSURLErrorDomain, code: code.rawValue), hasHead: hasHead)
    }

    private static let kinds: [(URLError.Code, TransportFailure.Kind)] = [
        (.cancelled, .reset), (.cannotFindHost, .dns), (.dnsLookupFailed, .dns), (.cannotConnectToHost, .connect),
        (.notConnectedToInternet, .connect), (.internationalRoamingOff, .connect), (.dataNotAllowed, .connect),
        (.networkConnectionLost, .reset), (.secureConnectionFailed, .tls(.handshake)),
        (.clientCertificateRejected, .tls(.clientCertificate)), (.clientCertificateRequired, .tls(.clientCertificate)),
        (.cannotDecodeRawData, .contentDecoding), (.cannotDecodeContentData, .contentDecoding),
        (.badServerResponse, .protocolViolation), (.cannotParseResponse, .protocolViolation),
        (.requestBodyStreamExhausted, .requestBody), (.badURL, .unsupported), (.unsupportedURL, .unsupported),
        (.appTransportSecurityRequiresSecureConnection, .unsupported), (.fileDoesNotExist, .other),
    ]

    @Test(arguments: kinds)
    func codesHaveKinds(_ code: URLError.Code, _ kind: TransportFailure.Kind) {
        let failure = failure(code)
        #expect(failure.kind == kind)
        #expect(failure.code == code.rawValue)
        #expect(failure.trustRefusal == nil)
    }

    #if !canImport(Darwin)
    @Test(
        arguments: [
            ("Could not resolve host: certificate.invalid", URLError.Code.cannotFindHost, .dns),
            ("Failed to connect to my-chunk.localhost port 1", .cannotConnectToHost, .connect),
            // Foundation reports the refusal of an earlier address of the host.
            ("SSL certificate problem: self-signed certificate", .cannotConnectToHost, .tls(.untrusted)),
            ("transfer closed with 97 bytes remaining to read", .cannotConnectToHost, .truncated),
        ] as [(String, URLError.Code, TransportFailure.Kind)])
    func aMessageTellsTheReasonButTheNameOfAHostDoesNot(
        _ message: String, _ code: URLError.Code, _ kind: TransportFailure.Kind
    ) {
        let error = NSError(
            domain: NSURLErrorDomain, code: code.rawValue, userInfo: [NSLocalizedDescriptionKey: message])
        #expect(TransportFailure(error, hasHead: false).kind == kind)
    }
    #endif

    @Test(arguments: [100, 120, 124, 306, 310, 311])
    func anErrorOfAProxyIsOneOfConnecting(_ code: Int) {
        let error = NSError(domain: "kCFErrorDomainCFNetwork", code: code)
        #expect(TransportFailure(error, hasHead: false).kind == .connect)
    }

    @Test func aTimeoutBeforeTheHeadIsOneOfConnecting() {
        #expect(failure(.timedOut).kind == .timeout(.connect))
    }

    @Test func aTimeoutAfterTheHeadIsOneOfTheBody() {
        #expect(failure(.timedOut, hasHead: true).kind == .timeout(.idle))
    }

    private static let refusals: [(URLError.Code, TrustRefusal.Reason)] = [
        (.serverCertificateHasBadDate, .expired), (.serverCertificateNotYetValid, .notYetValid),
        (.serverCertificateHasUnknownRoot, .unknownIssuer), (.serverCertificateUntrusted, .other),
    ]

    @Test(arguments: refusals)
    func aRefusedCertificateHasAReason(_ code: URLError.Code, _ reason: TrustRefusal.Reason) {
        let failure = failure(code)
        #expect(failure.kind == .tls(.untrusted))
        #expect(failure.trustRefusal?.reason == reason)
    }

    @Test(arguments: [0, -1, 12_345, Int.max, Int.min])
    func aNumberThatIsNoCodeIsAnotherFailure(_ code: Int) {
        let failure = TransportFailure(NSError(domain: "else", code: code), hasHead: false)
        #expect(failure.kind == .other)
        #expect(failure.code == code)
    }
}
