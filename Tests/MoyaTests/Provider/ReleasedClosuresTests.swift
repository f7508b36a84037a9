import Foundation
import Moya
import MoyaTesting
import Testing

/// The closures of a call, which usually capture the owner of its token.
@Suite struct ReleasedClosuresTests {
    /// Keeps the token of its call, as a view controller does.
    private final class Screen: Sendable {
        let tokens = Recorder<any Cancellable>()
        let events = Recorder<String>()

        func load(from provider: MoyaProvider<GitHub>, on queue: DispatchQueue?, _ ended: Promise<Void>) {
            let token = provider.request(
                .zen, callbackQueue: queue, progress: { _ in self.events.append("progress") },
                completion: { _ in
                    self.events.append("completion")
                    ended.fulfill(())
                })
            tokens.append(token)
        }
    }

    @Test(arguments: [false, true]) func endedCallReleasesItsClosures(_ tracksInflights: Bool) async {
        let provider = MoyaProvider<GitHub>(
            stubClosure: MoyaProvider.immediatelyStub, trackInflights: tracksInflights)
        weak var released: Screen?
        do {
            let screen = Screen()
            released = screen
            screen.load(from: provider, on: nil, Promise())
            #expect(screen.events.values.last == "completion")
        }
        #expect(released == nil)
    }

    @Test func cancelledCallReleasesItsClosures() async throws {
        let queue = DispatchQueue(label: "callbacks")
        let provider = MoyaProvider<GitHub>(
            stubClosure: MoyaProvider.delayedStub(.infinity), trackInflights: true)
        weak var released: Screen?
        do {
            let screen = Screen()
            released = screen
            let ended = Promise<Void>()
            screen.load(from: provider, on: queue, ended)
            screen.tokens.values[0].cancel()
            try await ended.value
        }
        await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
        #expect(released == nil)
    }
}
