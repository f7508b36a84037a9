import Foundation
import Moya
import MoyaTesting
import Testing

@Suite struct NetworkActivityPluginTests {
    private struct Change: Equatable {
        var type: NetworkActivityChangeType
        var target: GitHub?
    }

    private let changes = Recorder<Change>()

    private var plugin: NetworkActivityPlugin {
        NetworkActivityPlugin { [changes] type, target in changes.append(Change(type: type, target: target as? GitHub))
        }
    }

    @Test func stubBeginsAndEndsWithTheTarget() async {
        let provider = MoyaProvider<GitHub>(stubClosure: MoyaProvider.immediatelyStub, plugins: [plugin])
        _ = await provider.end(of: .zen)
        #expect(changes.values == [Change(type: .began, target: .zen), Change(type: .ended, target: .zen)])
    }

    @Test func requestBeginsAndEndsWithTheTarget() async {
        let provider = MoyaProvider<GitHub>(
            session: Session(transport: StepwiseTransport.answering()), plugins: [plugin])
        _ = await provider.end(of: .zen)
        #expect(changes.values == [Change(type: .began, target: .zen), Change(type: .ended, target: .zen)])
    }

    @Test func failedRequestEnds() async {
        let session = Session(transport: StepwiseTransport.failing(.reset))
        let provider = MoyaProvider<GitHub>(session: session, plugins: [plugin])
        _ = await provider.end(of: .zen)
        #expect(changes.values.map(\.type) == [.began, .ended])
    }

    @Test func requestThatCannotBeMadeNeitherBeginsNorEnds() async {
        let provider = MoyaProvider<GitHub>(
            requestClosure: { _, done in done(.failure(.requestMapping("url"))) },
            stubClosure: MoyaProvider.immediatelyStub, plugins: [plugin])
        _ = await provider.end(of: .zen)
        #expect(changes.values.isEmpty)
    }
}
