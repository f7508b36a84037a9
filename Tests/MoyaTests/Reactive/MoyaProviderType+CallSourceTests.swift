import Foundation
import MoyaTesting
import MoyaTransport
import Testing

@testable import Moya

/// The bridge over any provider type, including one that is not a `MoyaProvider`.
@Suite struct MoyaProviderTypeCallSourceTests {
    /// A provider that reports progress as no real one does: now the object, now the response alone.
    private final class OddProvider: MoyaProviderType {
        let response = Response(statusCode: 200, data: Data())

        func request(
            _ target: GitHub, callbackQueue: DispatchQueue?, progress: SendableProgressBlock?,
            completion: @escaping SendableCompletion
        ) -> any Cancellable {
            let object = Progress(totalUnitCount: 4)
            object.completedUnitCount = 1
            progress?(ProgressResponse(progress: object))
            progress?(ProgressResponse())
            progress?(ProgressResponse(response: response))
            completion(.success(response))
            return CancellableToken {}
        }
    }

    private func values<Value: Sendable>(of source: CallSource<Value>) -> [Value] {
        let values = Recorder<Value>()
        source.subscription { event, _ in if case .value(let value) = event { values.append(value) } }.request(.max)
        return values.values
    }

    @Test func lastKnownPartsOfTheProgressAreCarriedOn() {
        let provider = OddProvider()
        let events = values(of: provider.progress(of: .zen, callbackQueue: nil))
        #expect(events.map(\.progress) == [0.25, 0.25, 1])
        #expect(events.map { $0.progressObject != nil } == [true, true, true])
        #expect(events.map(\.completed) == [false, false, true])
    }

    @Test func collectedProgressKeepsItsCounts() async throws {
        let transport = StepwiseTransport { _, exchange in
            exchange.head(200, ["Content-Length": "4"])
            for _ in 0..<4 { exchange.chunk(Data("a".utf8)) }
            exchange.end()
        }
        let provider = MoyaProvider<API>(session: Session(transport: transport))
        let events = Recorder<ProgressResponse>()
        let ended = Promise<Void>()
        let subscription = provider.progress(of: API(), callbackQueue: .global()).subscription { event, _ in
            if case .value(let value) = event { events.append(value) } else { ended.fulfill(()) }
        }
        subscription.request(.max)
        try await ended.value
        #expect(events.values.map(\.progress) == [0.25, 0.5, 0.75, 1, 1])
    }

    @Test func responsesHaveTheResponseAlone() {
        let provider = OddProvider()
        #expect(values(of: provider.responses(of: .zen, callbackQueue: nil)) == [provider.response])
    }

    @Test func sourceDoesNotKeepItsProvider() {
        var provider: OddProvider? = OddProvider()
        let source = provider?.responses(of: .zen, callbackQueue: nil)
        provider = nil
        #expect(source.map(values) == [])
    }
}
