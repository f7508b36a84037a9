#if os(Linux)
import CMoyaCurl
import Foundation
import MoyaTransport

/// One TLS handshake under a trust policy; lives as long as the connection's TLS context.
final class Handshake {
    private let policy: any TransportTrustPolicy
    private let host: String
    /// The exchange that receives a refusal; `nil` if the handshake outlives it.
    ///
    /// Not its transfer: a server may handshake again on a connection over TLS 1.2, when the transfer already carries
    /// an exchange with another server. This is not forbidden, because some servers request the client's certificate
    /// that way, for a part of their paths.
    private weak var exchange: CurlExchange?

    private init(policy: any TransportTrustPolicy, host: String, exchange: CurlExchange?) {
        self.policy = policy
        self.host = host
        self.exchange = exchange
    }

    /// Gives every connection of a handle the session's authorities, and its policy, if there is one; returns the reason
    /// for a failure.
    static func prepare(
        _ easy: UnsafeMutableRawPointer, transfer: UnsafeMutableRawPointer, hasPolicy: Bool
    ) -> TransportFailure? {
        installCallbacks
        let code = moya_easy_set_trust(easy, transfer, hasPolicy)
        guard code != CURLE_OK else { return nil }
        return TransportFailure(
            .unsupported,
            message: "TLS cannot be used: this libcurl is not built with OpenSSL.", code: Int(code.rawValue))
    }

    private static let installCallbacks: Void = moya_trust_install(
        { transfer in
            let transfer = CurlEasy.from(transfer)
            let handshake = Handshake(policy: transfer.trustPolicy, host: transfer.host, exchange: transfer.exchange)
            return Unmanaged.passRetained(handshake).toOpaque()
        },
        { handshake, presented in
            Unmanaged<Handshake>.fromOpaque(handshake).takeUnretainedValue().accepts(presented) ? 1 : 0
        },
        { handshake in Unmanaged<Handshake>.fromOpaque(handshake).release() },
        { transfer in CurlEasy.from(transfer).multi.settings.keyLog?.descriptor ?? -1 },
        { transfer in
            let transfer = CurlEasy.from(transfer)
            do throws(TransportFailure) {
                return try transfer.multi.settings.authorities.retainedStore()
            } catch {
                transfer.ownFailure = error
                return nil
            }
        })

    /// `true` if the policy accepts the server; evaluated again if a part of the presented data arrives later.
    private func accepts(_ presented: OpaquePointer) -> Bool {
        do {
            try Self.evaluate(presented, host: host, by: policy)
            return true
        } catch {
            exchange?.transfer?.ownFailure = TransportFailure(
                .tls(.refusedByPolicy), message: "The trust policy refused \(host): \(error)",
                code: Int(CURLE_PEER_FAILED_VERIFICATION.rawValue), cause: error)
            return false
        }
    }

    private static func evaluate(
        _ presented: OpaquePointer, host: String, by policy: any TransportTrustPolicy
    ) throws {
        let certificates = (0..<moya_presented_count(presented)).map { index in
            var der: UnsafeMutablePointer<UInt8>?
            let length = moya_presented_der(presented, index, &der)
            defer { moya_presented_free(der) }
            return der.map { Data(bytes: $0, count: max(0, Int(length))) } ?? Data()
        }
        try PresentedServerTrust.evaluating(
            presented, host: host, certificates: certificates,
            validation: { refusal(of: $0, $1, host: host) }, revocation: { refusal(of: $0, $1) },
            evaluation: policy.evaluate)
    }

    private static func refusal(
        of check: PlatformValidation, _ presented: OpaquePointer, host: String
    ) -> TrustRefusal? {
        if check.validatesChain {
            let error = validate(presented, anchors: check.anchors)
            if error == -1 {
                return TrustRefusal(.unknownIssuer, message: "an anchor of the check is not a certificate")
            }
            if error != X509_V_OK { return TrustRefusal(verifyError: Int(error)) }
        }
        guard check.matchesHost else { return nil }
        guard moya_presented_names_hosts(presented) else {
            return TrustRefusal(
                .wrongHost, message: "the certificate is for no host: it has no subject alternative name of one")
        }
        guard moya_presented_matches_host(presented, host) else {
            return TrustRefusal(.wrongHost, message: "the certificate is not for \(host)")
        }
        return nil
    }

    private static func validate(_ presented: OpaquePointer, anchors: [Data]?) -> Int32 {
        guard let anchors else { return moya_presented_validate(presented, nil, nil, 0) }
        return anchors.withPointers { moya_presented_validate(presented, $0, $1, $0.count) }
    }
}

extension [Data] {
    /// Calls the closure with pointers to the bytes of each element, and their lengths.
    func withPointers<Result>(_ body: ([UnsafePointer<UInt8>], [Int]) -> Result) -> Result {
        // One buffer with a spare byte, so that every pointer is valid during the whole call.
        let bytes = [UInt8](joined()) + [0]
        return bytes.withUnsafeBufferPointer { buffer in
            var pointers: [UnsafePointer<UInt8>] = []
            var offset = 0
            for element in self {
                if let base = buffer.baseAddress { pointers.append(base + offset) }
                offset += element.count
            }
            return body(pointers, map(\.count))
        }
    }
}
#endif
