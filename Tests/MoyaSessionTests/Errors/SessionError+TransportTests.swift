import Foundation
import MoyaSession
import Testing

@Suite struct SessionErrorTransportTests {
    static let codes: [(TransportFailure.Kind, URLError.Code)] = [
        (.dns, .cannotFindHost), (.connect, .cannotConnectToHost), (.tls(.handshake), .secureConnectionFailed),
        (.tls(.untrusted), .serverCertificateUntrusted), (.tls(.clientCertificate), .clientCertificateRejected),
        (.timeout(.connect), .timedOut), (.timeout(.idle), .timedOut), (.timeout(.total), .timedOut),
        (.reset, .networkConnectionLost), (.truncated, .networkConnectionLost),
        (.protocolViolation, .badServerResponse), (.contentDecoding, .cannotDecodeContentData),
        (.requestBody, .requestBodyStreamExhausted), (.unsupported, .unsupportedURL), (.other, .unknown),
    ]

    let url = URL(string: "https://user:secret@example.com/path")

    @Test(arguments: codes) func failureOfTheTransportIsAURLError(kind: TransportFailure.Kind, code: URLError.Code) {
        let error = SessionError(transportFailure: TransportFailure(kind, message: "m", code: 5), url: url)
        #expect(error.isSessionTaskError)
        #expect((error.underlyingError as? URLError)?.code == code)
    }

    /// As those of `URLSession`, which `RetryPolicy` and callers compare.
    @Test(arguments: [.notConnectedToInternet, .dataNotAllowed, .httpTooManyRedirects] as [URLError.Code])
    func aCodeOfTheTransportsOwnIsKept(code: URLError.Code) {
        let failure = TransportFailure(.connect, message: "m", code: code.rawValue)
        let error = SessionError(transportFailure: failure, url: url)
        #expect((error.underlyingError as? URLError)?.code == code)
    }

    @Test(arguments: [-25_293, -36, -994, -4_000]) func aCodeOfAnotherFrameworkIsNone(code: Int) {
        let failure = TransportFailure(.unsupported, message: "m", code: code)
        let error = SessionError(transportFailure: failure, url: url)
        #expect((error.underlyingError as? URLError)?.code == .unsupportedURL)
    }

    @Test(arguments: codes.map(\.0)) func failureOfTheTransportIsAccessible(kind: TransportFailure.Kind) {
        let failure = TransportFailure(kind, message: "m", code: 5)
        #expect(SessionError(transportFailure: failure, url: url).transportFailure == failure)
    }

    @Test func cancelledExchangeIsExplicitlyCancelled() {
        let error = SessionError(transportFailure: TransportFailure(.cancelled, message: ""), url: url)
        #expect(error.isExplicitlyCancelledError)
    }

    @Test func refusalByThePolicyIsATrustError() {
        let failure = TransportFailure(.tls(.refusedByPolicy), message: "no")
        let error = SessionError(transportFailure: failure, url: url)
        #expect(error.isServerTrustEvaluationError)
        #expect(error.transportFailure == failure)
    }

    @Test func failingURLHasNoSecret() throws {
        let url = try #require(URL(string: "https://user:s3cr3t@example.com/path?page=2&token=s3cr3t"))
        let error = SessionError(transportFailure: TransportFailure(.dns, message: "m"), url: url)
        let details = try #require(error.underlyingError as? URLError).userInfo
        let failing = try #require(details[NSURLErrorFailingURLErrorKey] as? URL).absoluteString
        #expect(!failing.contains("s3cr3t"))
        #expect(failing.hasSuffix("example.com/path?page=2&token=%3Cmasked%3E"))
    }

    @Test func descriptionIncludesTheTransportsMessage() {
        let error = SessionError(transportFailure: TransportFailure(.dns, message: "no such host"), url: nil)
        #expect(error.localizedDescription.contains("could not be resolved"))
        #expect(error.localizedDescription.contains("no such host"))
    }

    @Test func errorsOfOtherKindsHaveNoTransportFailure() {
        #expect(SessionError.sessionDeinitialized.transportFailure == nil)
        #expect(SessionError.sessionTaskFailed(error: URLError(.timedOut)).transportFailure == nil)
    }
}
