import Foundation
import Moya
import MoyaSession
import MoyaTesting

extension Setting {
    static let streams: [Setting] = [
        Setting("MoyaProvider.lines#maximumLineLength") { (length: Int) in
            await drain(stubbed.lines(of: API(), maximumLineLength: length))
        },
        Setting("MoyaProvider.jsonLines#maximumElementLength") { (length: Int) in
            for sample in ["[1,[2]]", "{\"a\":1}\n3", "\u{1E}1\n"] {
                let target = API(sampleData: Data(sample.utf8))
                await drain(stubbed.jsonLines(of: target, as: Int.self, maximumElementLength: length))
            }
        },
        Setting("MoyaProvider.events#maximumEventLength (2)") { (length: Int) in
            let target = API(sampleData: Data("data: 1\n\ndata: 2\n\n".utf8))
            await drain(stubbed.events(of: target, maximumEventLength: length))
            await drain(stubbed.events(of: target, as: Int.self, maximumEventLength: length))
        },
        Setting("MoyaProvider.streamedStub#pieceSize") { (size: Int) in
            let provider = MoyaProvider<API>(stubClosure: MoyaProvider.streamedStub(pieceSize: size))
            await drain(provider.lines(of: API()))
        },
        Setting("MoyaProvider.streamedStub#interval") { (interval: Duration) in
            let clock = TestClock()
            let provider = MoyaProvider<API>(
                stubClosure: MoyaProvider.streamedStub(pieceSize: 30, every: interval), middleware: [], clock: clock)
            await finish(clock) { await drain(provider.lines(of: API())) }
        },
        Setting("Reconnection.init#attempts") { (attempts: Int) in
            await reconnect(Reconnection(attempts: min(attempts, 20), backoff: .none))
            _ = Reconnection(attempts: attempts)
        },
        Setting("Reconnection.init#healthyTime") { (time: Duration) in
            await reconnect(Reconnection(attempts: 3, healthyTime: time))
        },
        Setting("Reconnection.attempts") { (attempts: Int) in
            var policy = Reconnection(backoff: .none)
            policy.attempts = min(attempts, 20)
            await reconnect(policy)
        },
        Setting("Reconnection.healthyTime") { (time: Duration) in
            var policy = Reconnection(attempts: 3)
            policy.healthyTime = time
            await reconnect(policy)
        },
        Setting("ResponseStreamError.elementTooLong") { (limit: Int) in
            _ = MoyaError.underlying(ResponseStreamError.elementTooLong(limit: limit), nil).localizedDescription
        },
        Setting("ResponseStreamError.malformedArray") { (offset: Int) in
            _ = MoyaError.underlying(ResponseStreamError.malformedArray(offset: offset), nil).localizedDescription
        },
        Setting("RequestTask.uploadStream#length") { (length: Int64?) in
            await send(.uploadStream(threeBytes, length: length))
        },
        Setting("UploadStream.init#length (2)") { (length: Int64?) in
            await send(.uploadStream(UploadStream(threeBytes, length: length)))
            await send(.uploadStream(UploadStream(length: length) { threeBytes }))
        },
        Setting("UploadStreamError.endedEarly") { (count: Int64) in
            _ = UploadStreamError.endedEarly(sent: count, length: count).localizedDescription
        },
        Setting("UploadStreamError.exceedsLength") { (count: Int64) in
            _ = UploadStreamError.exceedsLength(count).localizedDescription
        },
        Setting("UploadStreamError.negativeLength") { (count: Int64) in
            _ = UploadStreamError.negativeLength(count).localizedDescription
        },
    ]

    private static var threeBytes: AsyncStream<Data> {
        AsyncStream { continuation in
            continuation.yield(Data(count: 3))
            continuation.finish()
        }
    }

    private static func send(_ task: RequestTask) async {
        let provider = MoyaProvider<API>(session: Session(transport: ScriptedTransport(.response(200))))
        await finish { _ = try? await provider.request(API(method: .post, task: task)) }
    }

    private static let stubbed = MoyaProvider<API>(stubClosure: MoyaProvider.immediatelyStub)

    private static func drain<Element>(_ sequence: ResponseSequence<Element>) async {
        do { for try await _ in sequence {} } catch {}
    }

    /// Reads events of a server that hangs up each time.
    private static func reconnect(_ policy: Reconnection) async {
        let clock = TestClock()
        let transport = ScriptedTransport([.response(503)], clock: clock)
        let provider = MoyaProvider<API>(session: Session(transport: transport), middleware: [], clock: clock)
        await finish(clock) { await drain(provider.events(of: API(), reconnecting: policy)) }
    }
}
