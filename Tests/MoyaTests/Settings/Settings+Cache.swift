import Foundation
import Moya
import MoyaSession
import MoyaTesting

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension Setting {
    static let cache: [Setting] = [
        Setting("HTTPCache.memory#limit") { (limit: Int) in await use(.memory(limit: limit)) },
        Setting("HTTPCache.memory#staleIfError") { (time: Duration?) in await use(.memory(staleIfError: time)) },
        Setting("HTTPCache.disk#limit") { (limit: Int) in
            try await withFolder { await use(.disk(at: $0, limit: limit)) }
        },
        Setting("Duration.days#days") { (days: Double) in await use(.memory(staleIfError: .days(days))) },
        Setting("HTTPCache.disk#staleIfError") { (time: Duration?) in
            try await withFolder { await use(.disk(at: $0, staleIfError: time)) }
        },
    ]

    private static func withFolder(_ body: (URL) async -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("moya-cache-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        await body(folder)
    }

    /// Stores a response that is stale at once, and asks for it again.
    private static func use(_ cache: HTTPCache) async {
        let answer = ScriptedTransport(.response(200, ["Cache-Control": "max-age=0"], body: "a"))
        let session = Session(cache: cache, transport: answer)
        for _ in 0..<2 { await finish(session, session.request(URL(string: "http://a.example/")!)) }
        cache.removeAll()
    }
}
