import CallOrders
import Foundation
import Moya
import MoyaSession
import Testing

/// A cache whose server is killed: its stale answers replace the error while they may.
///
/// A response counts from the age with which it arrives, so that no test waits until it is stale.
@Suite(.needsServers, .serialized, .timeLimit(.minutes(1)))
struct KilledServerTests {
    let servers: Servers
    let mark = uniqueMark()

    init() throws { servers = try #require(Servers.running) }

    /// The permission for stale answers, for an hour.
    enum Permission: CaseIterable, Sendable {
        case server, app

        var control: String { self == .server ? "max-age=10, stale-if-error=3600" : "max-age=10" }
        var staleIfError: Duration? { self == .app ? .seconds(3600) : nil }
    }

    /// A call whose answer arrives with an age in seconds.
    private func call(_ nginx: KeptServer, _ permission: Permission, age: Int, key: String) -> Call {
        .get(nginx.url, "/cached/\(key)", query: ["control": permission.control, "age": age])
    }

    private func provider(_ cache: HTTPCache) -> MoyaProvider<Call> { MoyaProvider(session: Session(cache: cache)) }

    @Test(arguments: Permission.allCases)
    func staleAnswersReplaceTheErrorsOfAKilledServer(permission: Permission) async throws {
        let nginx = try await KeptServer("cached", of: servers)
        let provider = provider(.memory(staleIfError: permission.staleIfError))
        let call = call(nginx, permission, age: 60, key: mark)
        #expect(try await provider.request(call).cacheStatus?.outcome == .miss)
        try await nginx.stop("KILL")
        for _ in 0..<10 {
            let answer = try await provider.request(call)
            #expect(answer.statusCode == 200)
            #expect(answer.data == Data("version 0".utf8))
            #expect(answer.cacheStatus?.outcome == .stale)
        }
    }

    @Test func staleAnswersComeFromAFolderAfterARestart() async throws {
        try await withTemporaryDirectory { folder in
            let nginx = try await KeptServer("cached", of: servers)
            let call = call(nginx, .server, age: 60, key: mark)
            _ = try await provider(.disk(at: folder)).request(call)
            try await nginx.stop("KILL")
            // A response may still wait to be written; the first cache has it in memory as well.
            let file = { try FileManager.default.contentsOfDirectory(atPath: folder.path) }
            while try !file().contains(where: { $0.hasSuffix(".response") }) { await _Concurrency.Task.yield() }
            let answer = try await provider(.disk(at: folder)).request(call)
            #expect(answer.data == Data("version 0".utf8))
            #expect(answer.cacheStatus?.outcome == .stale)
        }
    }

    @Test(arguments: Permission.allCases)
    func noCallFailsWhileTheServerIsKilled(permission: Permission) async throws {
        let nginx = try await KeptServer("cached", of: servers)
        let provider = provider(.memory(staleIfError: permission.staleIfError))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<16 {
                // Equal calls would share an exchange.
                let call = call(nginx, permission, age: 60, key: "\(mark)-\(worker)")
                group.addTask {
                    var stale = 0
                    while stale < 10 {
                        let answer = try await provider.request(call)
                        #expect(answer.data == Data("version 0".utf8))
                        if answer.cacheStatus?.outcome == .stale { stale += 1 }
                    }
                }
            }
            let seen = try await servers.origin.seen(beginning: mark, count: 200)
            #expect(seen.count == 16)
            try await nginx.stop("KILL")
            try await group.waitForAll()
        }
    }

    @Test(arguments: Permission.allCases)
    func theConnectionsErrorReturnsAfterTheTimeForStaleAnswers(permission: Permission) async throws {
        let nginx = try await KeptServer("cached", of: servers)
        let provider = provider(.memory(staleIfError: permission.staleIfError))
        let call = call(nginx, permission, age: 3600 + 11, key: mark)
        _ = try await provider.request(call)
        try await nginx.stop("KILL")
        let error = await #expect(throws: MoyaError.self) { try await provider.request(call) }
        #expect(error?.transportFailure?.kind == .connect, "\(error as Any)")
    }

    @Test func theServersAnswerReturnsWithTheServer() async throws {
        let nginx = try await KeptServer("cached", of: servers)
        let provider = provider(.memory())
        let call = call(nginx, .server, age: 60, key: mark)
        _ = try await provider.request(call)
        try await nginx.stop("KILL")
        #expect(try await provider.request(call).cacheStatus?.outcome == .stale)
        try await servers.origin.change(mark)
        try await nginx.start()
        let answer = try await provider.request(call)
        #expect(answer.data == Data("version 1".utf8))
        #expect(answer.cacheStatus?.outcome == .miss)
    }
}
