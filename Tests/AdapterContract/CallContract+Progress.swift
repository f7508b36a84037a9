import Foundation
import Moya
import MoyaTesting

extension CallContract {
    func progressTellsQuarters(isDownload: Bool) async throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("moya-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        let task: RequestTask = isDownload ? .downloadDestination { _, _ in (file, []) } : .requestPlain
        let events = try await fourChunks(length: "4000", task: task)
        try require(events.map(\.progress), is: [0.25, 0.5, 0.75, 1.0, 1.0], "progress")
        try require(events.map(\.completed), is: [false, false, false, false, true], "completed")
        try require(events.allSatisfy { $0.progressObject != nil }, is: true, "a progress object in each event")
    }

    func progressWithoutALengthIsZero() async throws {
        let events = try await fourChunks(length: nil, task: .requestPlain)
        try require(events.map(\.progress), is: [0, 0, 0, 0, 1.0], "progress")
        try require(events.map(\.completed), is: [false, false, false, false, true], "completed")
    }

    /// A stub reports progress, in which this departs from Moya 15.
    func progressOfAStubEndsWithItsResponse() throws {
        let provider = provider(stub: .immediate)
        let watcher = Watcher(progress(from: provider))
        let events = try watcher.ended()
        try require(events.last?.response?.text, is: "sample", "the last event's response")
        try require(events.filter(\.completed).count, is: 1, "completed events")
        try require(watcher.isFinished, is: true, "finished")
    }

    func failedCallTellsItsProgressOnceMore() async throws {
        let server = try await LoopbackServer { $0.reset() }
        let provider = provider()
        let watcher = Watcher(progress(of: ContractTarget(server.url), from: provider))
        _ = try await watcher.failure()
        try require(watcher.values.map(\.completed), is: [false], "completed")
    }

    /// The events of a body of four chunks, each sent when the previous one was reported.
    private func fourChunks(length: String?, task: RequestTask) async throws -> [ProgressResponse] {
        let gate = Gate()
        let server = try await LoopbackServer { exchange in
            if let length {
                try await exchange.send(head: 200, ["Content-Length": .init(stringLiteral: length)])
            } else {
                try await exchange.send(head: 200, ["Connection": "close"])
            }
            for index in 0..<4 {
                if index > 0 { try await gate.wait() }
                try await exchange.send(Data(repeating: 1, count: 1000))
            }
            if length == nil { exchange.close() }
        }
        let provider = provider(callbackQueue: DispatchQueue(label: "test"))
        let stream = progress(of: ContractTarget(server.url, task: task), from: provider)
        return try await Watcher(stream) { _, _ in gate.open(times: 1) }.success()
    }
}
