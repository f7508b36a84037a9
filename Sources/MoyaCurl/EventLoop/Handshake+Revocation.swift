#if os(Linux)
import CMoyaCurl
import Foundation
import MoyaTransport

extension Handshake {
    /// Checks for revoked certificates in the presented chain; returns the reason for a refusal, or `nil`.
    static func refusal(of check: RevocationCheck, _ presented: OpaquePointer) -> TrustRefusal? {
        var found = [moya_revocation](
            repeating: MOYA_REVOCATION_UNKNOWN, count: Int(moya_presented_revocable_count(presented)))
        let malformed = check.revocationLists.withPointers { lists, lengths in
            moya_presented_look_up(presented, lists, lengths, lists.count, &found, Int32(found.count))
        }
        guard malformed < 0 else {
            return TrustRefusal(.other, message: "revocation list \(malformed) of the evaluator is malformed")
        }
        var why = "no revocation list covers it"
        if check.usesStapledResponse, !found.isEmpty {
            var text: UnsafePointer<CChar>?
            let stapled = moya_presented_staple(presented, &text)
            if stapled == MOYA_REVOCATION_UNKNOWN, let text { why = String(cString: text) }
            if stapled.rawValue > found[0].rawValue { found[0] = stapled }
        }
        if let place = found.firstIndex(of: MOYA_REVOCATION_REVOKED) {
            return TrustRefusal(.revoked, message: "\(name(place)) was revoked")
        }
        guard check.requiresPositiveResponse, let place = found.firstIndex(of: MOYA_REVOCATION_UNKNOWN) else {
            return nil
        }
        // A missing staple may still prove the server's own certificate; the others remain unproved.
        if moya_presented_awaits_staple(presented), place == 0,
            !found.dropFirst().contains(MOYA_REVOCATION_UNKNOWN)
        {
            return nil
        }
        return TrustRefusal(
            .revocationUnknown,
            message: "the revocation status of \(name(place)) is unknown: "
                + (place == 0 ? why : "no revocation list covers it"))
    }

    private static func name(_ place: Int) -> String {
        place == 0 ? "the server's certificate" : "the certificate of an authority, number \(place) of the chain,"
    }
}
#endif
