import Foundation
import Moya
import MoyaSession

/// A request to one of the servers.
private struct TrustCall: TargetType {
    let url: URL
    var baseURL: URL { url }
    var path: String { "" }
    var method: Moya.Method { .get }
    var task: RequestTask { .requestPlain }
    var headers: [String: String]? { nil }
}

/// The result of a case.
public struct TrustOutcome: Sendable {
    /// `accepted`, or the reason of the refusal.
    public let reason: String
    /// The error's text; empty if there is none.
    public let text: String
    /// The number of handshakes that failed at the server.
    public let refusedHandshakes: Int
    /// The number of request bytes that reached the server.
    public let requestBytes: Int
}

extension TrustCase {
    /// `true` if the outcome is the expected one: the reason is the same, and a server that was refused saw one failed
    /// handshake, and no byte of a request.
    public func isAsExpected(_ outcome: TrustOutcome) -> Bool {
        guard outcome.reason == expected else { return false }
        if expected == Self.accepted { return outcome.requestBytes > 0 && outcome.refusedHandshakes == 0 }
        return outcome.requestBytes == 0 && outcome.refusedHandshakes == (isRefusedAfterHandshake ? 0 : 1)
    }

    /// By default, libcurl checks the alternative names after the handshake, and before the request; it detects their
    /// absence earlier.
    private var isRefusedAfterHandshake: Bool {
        evaluator == "platform" && expected == "wrongHost"
            && !["no-names", "common-name", "mail-name"].contains(server)
    }

    /// Calls the server in a separate session and returns the result: `accepted`, or the reason and its text.
    public func run(on servers: TrustServers, mark: String) async throws -> (reason: String, text: String) {
        let session = Session(
            startRequestsImmediately: false, serverTrustManager: try manager(servers),
            transportConfiguration: TransportConfiguration(
                certificateAuthorities: .file(servers.certificates.appendingPathComponent("root.pem"))))
        let call = TrustCall(url: servers.url(at: host, tls: tls, mark: mark))
        do throws(MoyaError) {
            let response = try await MoyaProvider<TrustCall>(session: session).request(call)
            return (response.statusCode == 200 ? Self.accepted : "status \(response.statusCode)", "")
        } catch {
            return (Self.reason(of: error), error.localizedDescription)
        }
    }

    /// Runs the case without other clients of the servers, and counts what they received.
    public func runAndCount(on servers: TrustServers) async throws -> TrustOutcome {
        let later = "later-\(UInt64.random(in: .min ... .max))"
        let bytesBefore = servers.requestBytes(of: server, ignoring: later)
        let handshakesBefore = servers.refusedHandshakes()
        let (reason, text) = try await run(on: servers, mark: "case")
        // nginx is one process: when it has logged a later request, it has logged this one.
        let control = TrustCase("good-ec", "", Self.accepted) { _ in nil }
        _ = try await control.run(on: servers, mark: later)
        let deadline = ContinuousClock.now + .seconds(5)
        while servers.requests(marked: later) == 0, ContinuousClock.now < deadline {
            try await _Concurrency.Task.sleep(for: .milliseconds(2))
        }
        return TrustOutcome(
            reason: servers.requests(marked: later) == 0 ? "the server's log is silent" : reason, text: text,
            refusedHandshakes: servers.refusedHandshakes() - handshakesBefore,
            requestBytes: servers.requestBytes(of: server, ignoring: later) - bytesBefore)
    }

    private static func reason(of error: MoyaError) -> String {
        guard case .underlying(let cause, _) = error, let error = cause as? SessionError else { return "\(error)" }
        if let refusal = error.trustRefusal { return refusal.reason.rawValue }
        guard case .serverTrustEvaluationFailed(let reason) = error else { return "\(error)" }
        return switch reason {
        case .noRequiredEvaluator: "noRequiredEvaluator"
        case .noCertificatesFound: "noCertificatesFound"
        case .noPublicKeysFound: "noPublicKeysFound"
        case .revocationPolicyCreationFailed: "revocationPolicyCreationFailed"
        case .certificatePinningFailed: "certificatePinningFailed"
        case .publicKeyPinningFailed: "publicKeyPinningFailed"
        case .invalidEvaluator: "invalidEvaluator"
        case .customEvaluationFailed: "customEvaluationFailed"
        case .trustEvaluationFailed: "trustEvaluationFailed"
        }
    }
}
