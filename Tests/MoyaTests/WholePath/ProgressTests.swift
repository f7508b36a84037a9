import Foundation
import Moya
import MoyaTesting
import Testing

/// Progress as bytes really move.
@Suite struct ProgressTests {
    @Test(arguments: [false, true])
    func fourChunksOfAThousandGiveQuartersAndTheEnd(isDownload: Bool) async throws {
        let gate = Gate()
        let server = try await Self.serverOfFourChunks(length: "4000", gate: gate)
        let events = try await collect(server.url, isDownload: isDownload, gate: gate)
        #expect(events.map(\.progress) == [0.25, 0.5, 0.75, 1.0, 1.0])
        #expect(events.map(\.completed) == [false, false, false, false, true])
        #expect(events.allSatisfy { $0.progressObject != nil })
    }

    @Test(arguments: [false, true])
    func withoutALengthProgressIsZeroUntilTheEnd(isDownload: Bool) async throws {
        let gate = Gate()
        let server = try await Self.serverOfFourChunks(length: nil, gate: gate)
        let events = try await collect(server.url, isDownload: isDownload, gate: gate)
        #expect(events.map(\.progress) == [0, 0, 0, 0, 1.0])
        #expect(events.map(\.completed) == [false, false, false, false, true])
    }

    @Test func uploadOfAFileReportsItsProgress() async throws {
        let directory = try TestDirectory()
        let file = try directory.file("upload", Data(repeating: 7, count: 500_000))
        try await uploadTells(.uploadFile(file))
    }

    @Test func uploadOfAFormReportsItsProgress() async throws {
        let part = MultipartFormData(provider: .data(Data(repeating: 7, count: 500_000)), name: "a")
        try await uploadTells(.uploadMultipart([part]))
    }

    @Test func theSequenceEndsWithTheResponse() async throws {
        let server = try await LoopbackServer { try await $0.respond(body: "hello") }
        let provider = MoyaProvider<AnyTarget>()
        var last: ProgressResponse?
        for try await event in provider.progress(of: AnyTarget(baseURL: server.url)) { last = event }
        #expect(last?.response?.data == Data("hello".utf8))
    }

    @Test func theSequenceThrowsTheErrorOfTheCall() async throws {
        let server = try await LoopbackServer { $0.reset() }
        let provider = MoyaProvider<AnyTarget>()
        let error = await #expect(throws: MoyaError.self) {
            for try await _ in provider.progress(of: AnyTarget(baseURL: server.url)) {}
        }
        #expect(error?.wireKind == .reset)
    }

    @Test func leavingTheSequenceCancelsTheCall() async throws {
        let server = try await LoopbackServer { exchange in
            try await exchange.send(head: 200, ["Content-Length": "100"])
            try await exchange.send("some")
            try await exchange.stallUntilClosed()
        }
        let provider = MoyaProvider<AnyTarget>()
        for try await _ in provider.progress(of: AnyTarget(baseURL: server.url)) { break }
        try await server.waitUntil { $0.openConnectionCount == 0 }
    }

    // MARK: Servers and callers

    /// Sends each chunk when the previous one was seen.
    private static func serverOfFourChunks(length: String?, gate: Gate) async throws -> LoopbackServer {
        try await LoopbackServer { exchange in
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
    }

    private func collect(_ url: URL, isDownload: Bool, gate: Gate) async throws -> [ProgressResponse] {
        let directory = try TestDirectory()
        let file = directory.url.appendingPathComponent("file")
        let task: RequestTask = isDownload ? .downloadDestination { _, _ in (file, []) } : .requestPlain
        let provider = MoyaProvider<AnyTarget>(callbackQueue: DispatchQueue(label: "test"))
        let events = EventLog()
        let result = await withCheckedContinuation { continuation in
            provider.request(
                AnyTarget(baseURL: url, task: task),
                progress: { event in
                    events.append(event)
                    gate.open(times: 1)
                },
                completion: { continuation.resume(returning: $0) })
        }
        _ = try result.get()
        return events.all
    }

    private func uploadTells(_ task: RequestTask) async throws {
        let server = try await LoopbackServer { exchange in
            _ = try await exchange.discardBody()
            try await exchange.respond()
        }
        let provider = MoyaProvider<AnyTarget>(callbackQueue: DispatchQueue(label: "test"))
        let events = EventLog()
        let result = await withCheckedContinuation { continuation in
            provider.request(
                AnyTarget(baseURL: server.url, method: .post, task: task), progress: { events.append($0) },
                completion: { continuation.resume(returning: $0) })
        }
        _ = try result.get()
        #expect(events.all.count > 1)
        #expect(events.all.dropLast().allSatisfy { !$0.completed && $0.progressObject != nil })
        #expect(events.all.dropLast().map(\.progress) == events.all.dropLast().map(\.progress).sorted())
        #expect(events.all.dropLast().last?.progress == 1)
        #expect(events.all.last?.completed == true)
    }
}
