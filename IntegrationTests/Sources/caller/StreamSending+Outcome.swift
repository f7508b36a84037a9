import CallOrders
import Foundation
import Moya
import MoyaSession

extension StreamSending {
    /// Sends the body to its end.
    func outcome() async -> Outcome {
        let session = Session.trusting(authority)
        let provider = MoyaProvider<SendingCall>(session: session)
        var outcome = Outcome()
        // Memory left behind by the first calls is not counted.
        for _ in 0..<16 { _ = try? await provider.request(SendingCall(baseURL: url, bytes: 1)) }
        let before = mostResidentBytes()
        let started = ContinuousClock.now
        do {
            outcome.answer = try await provider.request(SendingCall(baseURL: url, bytes: bytes)).mapString()
        } catch {
            outcome.failure = "\(error)"
        }
        outcome.seconds = (ContinuousClock.now - started) / .seconds(1)
        outcome.extraBytes = mostResidentBytes() - before
        return outcome
    }
}

/// A POST of a body that is made as it is sent, in pieces of 64 KiB.
private struct SendingCall: TargetType {
    var baseURL: URL
    var bytes: Int
    var path: String { "" }
    var method: Moya.Method { .post }
    var headers: [String: String]? { nil }

    var task: RequestTask {
        .uploadStream(UploadStream { [bytes] in Zeros(left: bytes) })
    }
}

/// Zeros, in pieces of 64 KiB.
private struct Zeros: AsyncSequence, AsyncIteratorProtocol, Sendable {
    var left: Int

    mutating func next() async -> Data? {
        guard left > 0 else { return nil }
        let count = Swift.min(left, 64 << 10)
        left -= count
        return Data(count: count)
    }

    func makeAsyncIterator() -> Zeros { self }
}
