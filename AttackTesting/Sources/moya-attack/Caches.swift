import Foundation
import Moya
import MoyaSession

extension AttackCommand {
    /// Makes calls through a cache in a folder that an attacker has prepared, or that is damaged on the way.
    ///
    /// Every body repeats the path of its URL, so that a wrong one shows. Prints the wrong answers, the faults that the
    /// cache has reported, and `kept` if a response is stored again once there is room.
    @Sendable static func cache(_ order: Order) async throws -> String {
        guard let path = order.path, let base = order.value else { return "no folder, or no server" }
        let folder = URL(fileURLWithPath: path)
        let faults = FaultCounter()
        if let place = order.place { fillDisk(with: place) }
        // Of damaged files the next cache knows nothing, the first one a part.
        let first = HTTPCache.disk(at: folder) { _ in if order.name == nil { faults.count() } }
        let urls = (0..<(order.count ?? 20)).map { "\(base)/\($0)/\([200, 300_000, 0, 70_000][$0 % 4])" }
        var wrong = try await wrongAnswers(to: urls, through: first)
        if let damage = order.name {
            try await waitForFiles(urls.count, in: path)
            for name in try FileManager.default.contentsOfDirectory(atPath: path) where name != "salt" {
                try makeDamage(damage, at: path + "/" + name)
            }
            wrong += try await wrongAnswers(to: urls, through: .disk(at: folder) { _ in faults.count() })
        }
        wrong += try await wrongAnswers(to: urls, through: first)
        if let place = order.place { unlink(place) } else { first.removeAll() }
        let isKept = try await isKept("\(base)/again/70000", in: folder, first)
        return "\(wrong) wrong, faults: \(faults.value), \(isKept ? "kept" : "not kept")"
    }

    /// Writes a file that takes all the room.
    private static func fillDisk(with path: String) {
        let file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        let bytes = [UInt8](repeating: 0, count: 4096)
        while write(file, bytes, bytes.count) > 0 {}
        close(file)
    }

    private static func session(_ cache: HTTPCache) -> Session {
        Session(startRequestsImmediately: false, cache: cache, timeouts: Deadlines(total: .seconds(5)))
    }

    private static func wrongAnswers(to urls: [String], through cache: HTTPCache) async throws -> Int {
        let session = session(cache)
        var wrong = 0
        for url in urls where await outcome(of: url, in: session) == nil { wrong += 1 }
        return wrong
    }

    /// The cache's use for a right answer; `nil` for a wrong one, and for none.
    private static func outcome(of url: String, in session: Session) async -> CacheStatus.Outcome? {
        let request = session.request(url)
        let response = await withCheckedContinuation { continuation in
            request.response(queue: .global()) { continuation.resume(returning: $0) }.resume()
        }
        guard let path = URL(string: url)?.path, let count = Int(path.split(separator: "/").last ?? "") else {
            return nil
        }
        let unit = Data("\(path);".utf8)
        let data = response.data ?? Data()
        guard response.error == nil, data.count == count,
            data.enumerated().allSatisfy({ $0.element == unit[$0.offset % unit.count] })
        else { return nil }
        return response.response?.cacheStatus?.outcome
    }

    /// `true` once a response can be read from the files by another cache.
    private static func isKept(_ url: String, in folder: URL, _ cache: HTTPCache) async throws -> Bool {
        for _ in 0..<50 {
            _ = await outcome(of: url, in: session(cache))
            if await outcome(of: url, in: session(.disk(at: folder))) == .hit { return true }
            try await _Concurrency.Task.sleep(for: .milliseconds(20))
        }
        return false
    }

    private static func waitForFiles(_ count: Int, in path: String) async throws {
        for _ in 0..<250 {
            let names = try FileManager.default.contentsOfDirectory(atPath: path)
            if names.filter({ $0.hasSuffix(".response") }).count == count { return }
            try await _Concurrency.Task.sleep(for: .milliseconds(20))
        }
    }

    private static func makeDamage(_ damage: String, at path: String) throws {
        let url = URL(fileURLWithPath: path)
        var bytes = try Data(contentsOf: url)
        switch damage {
        case "random bytes": bytes = Data((0..<bytes.count).map { _ in .random(in: 0 ... .max) })
        case "half": bytes = bytes.prefix(bytes.count / 2)
        case "empty": bytes = Data()
        case "a byte more": bytes.append(0)
        case "a turned bit": bytes[bytes.count / 2] ^= 1
        case "another version": bytes[7] &+= 1
        default: break
        }
        try FileManager.default.removeItem(at: url)
        switch damage {
        case "fifo": mkfifo(path, 0o600)
        case "folder": try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
        case "link": symlink("/dev/zero", path)
        case "nothing": break
        default: try bytes.write(to: url)
        }
    }
}

/// Counts the faults that caches report.
private final class FaultCounter: @unchecked Sendable {
    private let lock = NSLock()
    private var faults = 0

    var value: Int { lock.withLock { faults } }
    func count() { lock.withLock { faults += 1 } }
}
