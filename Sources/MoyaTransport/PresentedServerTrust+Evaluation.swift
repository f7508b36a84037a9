package import Foundation

extension PresentedServerTrust {
    /// Runs an evaluation of a server whose checks use the platform's data; returns its result.
    ///
    /// Once the evaluation has ended, the checks refuse without the data. A check that another thread runs at that
    /// moment ends first.
    ///
    /// - Parameters:
    ///   - platform: The data that a TLS library has of the server. One thread at a time uses it.
    ///   - validation: Runs a check of the chain or the host. It is called under a lock, so it must not call code of a
    ///     user, nor another check.
    ///   - revocation: Checks for revoked certificates, under the same lock.
    ///   - evaluation: The evaluation, called without a lock.
    package static func evaluating<Platform, Result>(
        _ platform: Platform,
        host: String,
        certificates: [Data],
        validation: @escaping @Sendable (PlatformValidation, Platform) -> TrustRefusal?,
        revocation: @escaping @Sendable (RevocationCheck, Platform) -> TrustRefusal?,
        evaluation: (PresentedServerTrust) throws -> Result
    ) rethrows -> Result {
        let presentation = Presentation(platform)
        defer { presentation.end() }
        return try evaluation(
            PresentedServerTrust(
                host: host, certificates: certificates,
                validation: { check in presentation.check { validation(check, $0) } },
                revocation: { check in presentation.check { revocation(check, $0) } }))
    }
}

/// The platform's data of a server, until its evaluation has ended.
///
/// `@unchecked`: the data is protected by the lock, under which the checks run.
private final class Presentation<Platform>: @unchecked Sendable {
    private let lock = Lock(())
    private var platform: Platform?

    init(_ platform: Platform) { self.platform = platform }

    /// Runs a check; a refusal after the evaluation.
    func check(_ body: (Platform) -> TrustRefusal?) -> TrustRefusal? {
        lock.withLock { _ in
            guard let platform else {
                return TrustRefusal(.other, message: "the trust was asked after its evaluation had ended")
            }
            return body(platform)
        }
    }

    func end() { lock.withLock { _ in platform = nil } }
}
