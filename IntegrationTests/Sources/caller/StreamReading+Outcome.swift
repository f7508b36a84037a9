import CallOrders
import Foundation
import Moya
import MoyaSession

extension StreamReading {
    /// Reads the stream to its end, with pauses.
    func outcome() async -> Outcome {
        let session = Session.trusting(authority)
        let provider = MoyaProvider<OrderedCall>(session: session)
        var outcome = Outcome()
        var random = SplitMix(state: seed)
        // Memory left behind by the first calls is not counted.
        for _ in 0..<16 { await callOther(session, &outcome) }
        let before = mostResidentBytes()
        let started = ContinuousClock.now
        do throws(MoyaError) {
            for try await chunk in try await provider.stream(OrderedCall(baseURL: url)).bytes {
                outcome.bytes += chunk.count
                if random.next() % 64 == 0 {
                    outcome.pauses += 1
                    for _ in 0...random.next() % 16 { await callOther(session, &outcome) }
                }
                guard let bytesASecond else { continue }
                let due = started + .seconds(Double(outcome.bytes) / bytesASecond)
                if due > .now { try? await _Concurrency.Task.sleep(until: due, clock: .continuous) }
            }
        } catch {
            outcome.failure = "\(error)"
        }
        outcome.seconds = (ContinuousClock.now - started) / .seconds(1)
        outcome.extraBytes = mostResidentBytes() - before
        return outcome
    }

    private func callOther(_ session: Session, _ outcome: inout Outcome) async {
        let response = await session.request(other).outcome()
        outcome.spoken.insert(response.metrics?.networkProtocol ?? "\(String(describing: response.error))")
    }
}

/// The numbers of a seed (SplitMix64).
private struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
