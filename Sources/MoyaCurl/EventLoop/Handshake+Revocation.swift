#if os(Linux)
import CMoyaCurl
import MoyaTransport

extension Handshake {
    /// Checks for revoked certificates in every chain for which the server may be trusted; returns the reason for a
    /// refusal, or `nil`.
    static func refusal(of check: RevocationCheck, _ presented: OpaquePointer) -> TrustRefusal? {
        for chain in 0..<moya_presented_chain_count(presented) {
            if let refusal = refusal(of: check, presented, chain: chain) { return refusal }
        }
        return nil
    }

    private static func refusal(
        of check: RevocationCheck, _ presented: OpaquePointer, chain: Int32
    ) -> TrustRefusal? {
        var found = [moya_revocation](
            repeating: MOYA_REVOCATION_UNKNOWN, count: Int(moya_presented_chain_length(presented, chain)))
        let malformed = check.revocationLists.withPointers { lists, lengths in
            moya_presented_look_up(presented, chain, lists, lengths, lists.count, &found, Int32(found.count))
        }
        guard malformed < 0 else {
            return TrustRefusal(.other, message: "revocation list \(malformed) of the evaluator is malformed")
        }
        var why = "no revocation list covers it"
        if check.usesStapledResponse, !found.isEmpty {
            var text: UnsafePointer<CChar>?
            let stapled = moya_presented_staple(presented, chain, &text)
            if stapled == MOYA_REVOCATION_UNKNOWN, let text { why = String(cString: text) }
            if stapled.rawValue > found[0].rawValue { found[0] = stapled }
        }
        if let index = found.firstIndex(of: MOYA_REVOCATION_REVOKED) {
            return TrustRefusal(.revoked, message: "\(name(index)) was revoked")
        }
        // The anchor is trusted directly, and its authorities are not needed.
        let needed = found.prefix(Int(moya_presented_revocable_count(presented, chain)))
        guard check.requiresPositiveResponse, let index = needed.firstIndex(of: MOYA_REVOCATION_UNKNOWN) else {
            return nil
        }
        // A missing staple may still prove the server's own certificate; the others remain unproved.
        if moya_presented_awaits_staple(presented), index == 0,
            !needed.dropFirst().contains(MOYA_REVOCATION_UNKNOWN)
        {
            return nil
        }
        return TrustRefusal(
            .revocationUnknown,
            message: "the revocation status of \(name(index)) is unknown: "
                + (index == 0 ? why : "no revocation list covers it"))
    }

    private static func name(_ index: Int) -> String {
        index == 0 ? "the server's certificate" : "the certificate of an authority, number \(index) of the chain,"
    }
}
#endif
