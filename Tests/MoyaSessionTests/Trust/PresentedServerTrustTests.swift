import Dispatch
import Foundation
import MoyaTransport
import Testing

/// The checks of a server that a policy keeps, for every TLS library.
@Suite struct PresentedServerTrustTests {
    /// The data of a TLS library that no two threads may use at once.
    private final class FakeTrust {
        var checks = 0
        var threads = 0
        var mostThreads = 0

        func refuse() -> TrustRefusal {
            threads += 1
            mostThreads = max(mostThreads, threads)
            checks += 1
            threads -= 1
            return TrustRefusal(.expired, message: "of the library")
        }
    }

    private struct Refused: Error {}

    private func evaluating<Result>(
        _ trust: FakeTrust, evaluation: (PresentedServerTrust) throws -> Result
    ) rethrows -> Result {
        try PresentedServerTrust.evaluating(
            trust, host: "sample.test", certificates: [Data([1])], validation: { $1.refuse() },
            revocation: { $1.refuse() }, evaluation: evaluation)
    }

    private func expectRefusals(_ server: PresentedServerTrust) {
        for refusal in [server.refusal(of: PlatformValidation()), server.refusal(of: RevocationCheck())] {
            #expect(refusal?.reason == .other)
            #expect(refusal?.message == "the trust was asked after its evaluation had ended")
        }
    }

    @Test func checksUseTheLibraryDuringTheEvaluation() {
        let trust = FakeTrust()
        evaluating(trust) { server in
            #expect(server.host == "sample.test")
            #expect(server.certificates == [Data([1])])
            #expect(server.refusal(of: PlatformValidation())?.reason == .expired)
            #expect(server.refusal(of: RevocationCheck())?.reason == .expired)
        }
        #expect(trust.checks == 2)
    }

    @Test func checksRefuseWithoutTheLibraryAfterTheEvaluation() {
        let trust = FakeTrust()
        expectRefusals(evaluating(trust) { $0 })
        #expect(trust.checks == 0)
    }

    @Test func checksRefuseAfterAnEvaluationThatThrows() throws {
        let trust = FakeTrust()
        var kept: PresentedServerTrust?
        #expect(throws: Refused.self) {
            try evaluating(trust) { server in
                kept = server
                throw Refused()
            }
        }
        expectRefusals(try #require(kept))
        #expect(trust.checks == 0)
    }

    @Test func theDataIsReleasedWithTheEvaluation() {
        weak var released: FakeTrust?
        func keep() -> PresentedServerTrust {
            let trust = FakeTrust()
            released = trust
            return evaluating(trust) { $0 }
        }
        let kept = keep()
        #expect(released == nil)
        expectRefusals(kept)
    }

    @Test func oneThreadAtATimeUsesTheLibrary() {
        let trust = FakeTrust()
        evaluating(trust) { server in
            DispatchQueue.concurrentPerform(iterations: 1_000) { _ in
                _ = server.refusal(of: PlatformValidation())
                _ = server.refusal(of: RevocationCheck())
            }
        }
        #expect(trust.checks == 2_000)
        #expect(trust.mostThreads == 1)
    }

    @Test func theEvaluationEndsAfterTheCheckOfAnotherThread() {
        let hasBegun = DispatchSemaphore(value: 0)
        let hasEnded = Lock(false)
        PresentedServerTrust.evaluating(
            (), host: "sample.test", certificates: [],
            validation: { _, _ in
                hasBegun.signal()
                Thread.sleep(forTimeInterval: 0.05)
                hasEnded.set(true)
                return nil
            },
            revocation: { _, _ in nil },
            evaluation: { server in
                Thread.detachNewThread { _ = server.refusal(of: PlatformValidation()) }
                hasBegun.wait()
            })
        #expect(hasEnded.withLock { $0 })
    }

    @Test func aPolicyMayCheckFromAnotherThread() {
        let trust = FakeTrust()
        let reason = evaluating(trust) { server in
            let reason = Lock<TrustRefusal.Reason?>(nil)
            let isDone = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                reason.set(server.refusal(of: PlatformValidation())?.reason)
                isDone.signal()
            }
            isDone.wait()
            return reason.value
        }
        #expect(reason == .expired)
    }
}
