#if os(Linux) || os(macOS)
import Foundation
import MoyaTesting
import MoyaTransport
import Testing

@testable import MoyaSession

/// The folder of a cache, and the other processes: killed while they write, writing at the same time, out of room.
///
/// `CACHE_KILLS` in the environment is the number of kills, 10 by default.
@Suite(.serialized) struct SharedCacheFolderTests {
    private let directory: TestDirectory

    init() throws { directory = try TestDirectory() }

    private var path: String { directory.url.appendingPathComponent("cache").path }

    private static let kills = ProcessInfo.processInfo.environment["CACHE_KILLS"].flatMap { Int($0) } ?? 10

    /// Each process writes to the folder as left by the previous one.
    @Test(.timeLimit(.minutes(30))) func aProcessThatIsKilledWhileItWritesLosesOnlyItsLastResponses() async throws {
        let log = directory.url.appendingPathComponent("log").path
        for kill in 1...Self.kills {
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [path = path as String, log = log as String, kill = kill as Int] in
                CacheWriter(path, from: kill * 1_000_000)
                    .writeUntilKilled(loggingTo: log, afterItsFirst: kill.isMultiple(of: 2))
            }
            let written = CacheWriter.lastWritten(in: log)
            let store = DiskCacheStore(at: path, limit: 64 << 20, encryption: nil) { Issue.record($0) }
            var lost = 0
            for url in CacheWriter.urls {
                let numbers = try store.responses(for: url).compactMap { try StoredSample.number(of: $0) }
                if let last = written[url], numbers.last ?? 0 < last { lost += 1 }
            }
            #expect(lost == 0)
            store.flush()
        }
        #expect(!CacheWriter.lastWritten(in: log).isEmpty, "every process was killed before it wrote")
    }

    @Test func twoProcessesInOneFolderDoNotInterfere() async throws {
        async let first: Void = Self.write(from: 1_000_000, to: path)
        async let second: Void = Self.write(from: 2_000_000, to: path)
        _ = await (first, second)
        let store = DiskCacheStore(at: path, limit: 64 << 20, encryption: nil) { Issue.record($0) }
        var found = 0
        for url in CacheWriter.urls {
            found += try store.responses(for: url).compactMap { try StoredSample.number(of: $0) }.count
        }
        #expect(found > 0)
    }

    private static func write(from first: Int, to path: String) async {
        await #expect(processExitsWith: .success) { [first, path] in
            try CacheWriter(path, from: first).write(300)
        }
    }

    /// A bound on the length of files stands for a disk without room: writes end early, and with an error.
    @Test(arguments: [0, 10, 100_000] as [UInt]) func aFullDiskIsReportedOnce(room: UInt) async {
        await #expect(processExitsWith: .success) { [path = path as String, room] in
            let faults = Lock(0)
            let store = DiskCacheStore(at: path, limit: 64 << 20, encryption: nil) { _ in faults.withLock { $0 += 1 } }
            signal(SIGXFSZ, SIG_IGN)
            var limit = rlimit()
            #if os(Linux)
            try #require(getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
            limit.rlim_cur = rlim_t(room)
            try #require(setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
            #else
            try #require(getrlimit(RLIMIT_FSIZE, &limit) == 0)
            limit.rlim_cur = rlim_t(room)
            try #require(setrlimit(RLIMIT_FSIZE, &limit) == 0)
            #endif
            for number in 1...20 {
                let count = number % 2 == 0 ? 100 : 300_000
                let response = StoredSample.response("http://a/\(number)", number, count: count, in: store)
                if let response { store.insert(response) }
            }
            store.flush()
            #expect(faults.value == 1)
            for number in 1...20 {
                let found = try store.responses(for: "http://a/\(number)").map { try StoredSample.number(of: $0) }
                #expect(found.allSatisfy { $0 == number })
            }
            let left = try FileManager.default.contentsOfDirectory(atPath: path)
            #expect(!left.contains { $0.hasSuffix(".tmp") })
        }
    }

    /// Takes every descriptor that the process may have.
    private static func takeEveryDescriptor() throws -> [Int32] {
        var limit = rlimit(rlim_cur: 256, rlim_max: 256)
        #if os(Linux)
        try #require(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
        #else
        try #require(setrlimit(RLIMIT_NOFILE, &limit) == 0)
        #endif
        var taken: [Int32] = []
        while case let next = dup(0), next >= 0 { taken.append(next) }
        return taken
    }

    @Test func aBodyThatNoDescriptorIsLeftForMayBeReadLater() async throws {
        await #expect(processExitsWith: .success) { [path = path as String] in
            let store = DiskCacheStore(at: path, limit: 64 << 20, encryption: nil) { _ in }
            store.insert(try #require(StoredSample.response("http://a/", 1, count: 100_000, in: store)))
            store.flush()
            let stored = try #require(store.responses(for: "http://a/").first)
            let taken = try SharedCacheFolderTests.takeEveryDescriptor()
            var hit = CacheHit(response: stored)
            let isOpen = hit.open()
            taken.forEach { close($0) }
            #expect(!isOpen && hit.isUnreadable)
            var next = CacheHit(response: stored)
            #expect(next.open() && !next.isUnreadable)
            var missing = CacheHit(response: stored)
            store.remove(stored)
            store.flush()
            #expect(!missing.open() && !missing.isUnreadable)
        }
    }

    @Test func aStartWithoutDescriptorsCostsNoResponse() async throws {
        await #expect(processExitsWith: .success) { [path = path as String] in
            func start() -> DiskCacheStore { DiskCacheStore(at: path, limit: 64 << 20, encryption: nil) { _ in } }
            let store = start()
            store.insert(try #require(StoredSample.response("http://a/", 1, count: 100, in: store)))
            store.flush()
            let taken = try SharedCacheFolderTests.takeEveryDescriptor()
            _ = start()
            taken.forEach { close($0) }
            #expect(start().responses(for: "http://a/").count == 1)
        }
    }

    @Test func aCacheThatIsMadeWithoutDescriptorsUsesItsFolderLater() async throws {
        await #expect(processExitsWith: .success) { [path = path as String] in
            let faults = Lock(0)
            let taken = try SharedCacheFolderTests.takeEveryDescriptor()
            let time = SharedTime()
            let closed = DiskCacheStore(at: path, limit: 64 << 20, encryption: nil) { _ in faults.add(1) }
            let cache = HTTPCache(store: closed) { time.now }
            #expect(cache.store.responses(for: "http://a/").isEmpty)
            taken.forEach { close($0) }
            time.advance(by: 1)
            let store = try #require(cache.store as? DiskCacheStore)
            store.insert(try #require(StoredSample.response("http://a/", 1, count: 100, in: store)))
            store.flush()
            #expect(cache.store as? DiskCacheStore === store)
            let next = DiskCacheStore(at: path, limit: 64 << 20, encryption: nil) { _ in }
            #expect(next.responses(for: "http://a/").count == 1)
            #expect(faults.value == 1)
        }
    }

    @Test func removingAllNeedsNoDescriptor() async throws {
        await #expect(processExitsWith: .success) { [path = path as String] in
            func start() -> DiskCacheStore { DiskCacheStore(at: path, limit: 64 << 20, encryption: nil) { _ in } }
            let writer = start()
            for count in [100, 100_000] {
                writer.insert(try #require(StoredSample.response("http://a/\(count)", 1, count: count, in: writer)))
            }
            writer.flush()
            let store = start()
            let taken = try SharedCacheFolderTests.takeEveryDescriptor()
            store.removeAll()
            taken.forEach { close($0) }
            #expect(try FileManager.default.contentsOfDirectory(atPath: path).filter { $0 != "salt" } == [])
        }
    }

    @Test func aRemovalWithoutDescriptorsReachesTheResponsesOfOtherProcesses() async throws {
        await #expect(processExitsWith: .success) { [path = path as String] in
            func start() -> DiskCacheStore { DiskCacheStore(at: path, limit: 64 << 20, encryption: nil) { _ in } }
            let time = SharedTime()
            let cache = HTTPCache(store: start()) { time.now }
            let other = start()
            other.insert(try #require(StoredSample.response("http://a/", 1, count: 100, in: other)))
            other.flush()
            let taken = try SharedCacheFolderTests.takeEveryDescriptor()
            cache.removeAll()
            taken.forEach { close($0) }
            #expect(start().responses(for: "http://a/").isEmpty)
            time.advance(by: 1)
            _ = cache.store
            #expect(try FileManager.default.contentsOfDirectory(atPath: path) == ["salt"])
        }
    }

    @Test func aReadOnlyFolderIsReportedOnce() async throws {
        let first = DiskCacheStore(at: path, limit: 64 << 20, encryption: nil) { Issue.record($0) }
        first.insert(try #require(StoredSample.response("http://a/", 1, count: 100_000, in: first)))
        first.flush()
        await #expect(processExitsWith: .success) { [path = path as String] in
            let nobody: UInt32 = 65_534
            // The superuser may write everywhere.
            if geteuid() == 0 {
                for name in try FileManager.default.contentsOfDirectory(atPath: path) {
                    chown(path + "/" + name, nobody, nobody)
                }
                chown(path, nobody, nobody)
            }
            chmod(path, 0o500)
            if geteuid() == 0 { try #require(setgid(nobody) == 0 && setuid(nobody) == 0) }
            let faults = Lock(0)
            let store = DiskCacheStore(at: path, limit: 64 << 20, encryption: nil) { _ in faults.withLock { $0 += 1 } }
            for number in 2...4 {
                let response = StoredSample.response("http://a/\(number)", number, count: 100, in: store)
                store.insert(try #require(response))
            }
            store.flush()
            #expect(try store.responses(for: "http://a/").map { try StoredSample.number(of: $0) } == [1])
            #expect(faults.value == 1)
        }
        chmod(path, 0o700)
    }
}

private func append(_ bytes: UnsafePointer<CChar>, _ count: Int, to file: Int32) -> Int { write(file, bytes, count) }

/// Stores responses of numbers that grow, under a few URLs, in memory and in files.
private struct CacheWriter {
    static let urls = (0..<20).map { "http://a.example/\($0)" }

    private let store: DiskCacheStore
    private let first: Int

    init(_ path: String, from first: Int) {
        store = DiskCacheStore(at: path, limit: 64 << 20, memoryLimit: 100_000, encryption: nil) { _ in }
        self.first = first
    }

    /// Writes until a thread ends the process, at a moment that is chosen at random.
    ///
    /// - Parameter hasLogged: `true` to choose a moment after the first entry of the log.
    func writeUntilKilled(loggingTo log: String, afterItsFirst hasLogged: Bool) {
        let moment = useconds_t.random(in: 0..<40_000)
        let end: @Sendable () -> Void = {
            usleep(moment)
            kill(getpid(), SIGKILL)
        }
        if !hasLogged { Thread.detachNewThread(end) }
        var isFirst = true
        let file = open(log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
        var generator = SystemRandomNumberGenerator()
        var batch: [String] = []
        for number in first... {
            guard let url = insert(number, &generator) else { continue }
            batch.append("\(url) \(number)\n")
            guard batch.count == 5 else { continue }
            store.flush()
            let text = batch.joined()
            batch = []
            _ = text.withCString { append($0, strlen($0), to: file) }
            if hasLogged, isFirst { Thread.detachNewThread(end) }
            isFirst = false
        }
    }

    /// Writes a number of responses, and reads others in between.
    func write(_ count: Int) throws {
        var generator = SeededGenerator(seed: UInt64(first))
        for number in first..<first + count {
            guard insert(number, &generator) != nil, let url = Self.urls.randomElement(using: &generator) else {
                continue
            }
            for response in store.responses(for: url) { _ = try StoredSample.number(of: response) }
            if number % 20 == 0 { store.removeAll(for: url) }
        }
        store.flush()
    }

    private func insert(_ number: Int, _ generator: inout some RandomNumberGenerator) -> String? {
        let url = Self.urls[Int.random(in: 0..<Self.urls.count, using: &generator)]
        let sizes = [0, 100, 5_000, 70_000, 200_000]
        let count = sizes[Int.random(in: 0..<sizes.count, using: &generator)]
        guard let response = StoredSample.response(url, number, count: count, in: store) else { return nil }
        store.insert(response)
        return url
    }

    /// The last number of each URL that was written for certain.
    static func lastWritten(in log: String) -> [String: Int] {
        var last: [String: Int] = [:]
        guard let text = try? String(contentsOfFile: log, encoding: .utf8) else { return [:] }
        // A kill may have cut the last line of a process, which the next one continues.
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
            let parts = line.split(separator: " ")
            if parts.count == 2, let number = Int(parts[1]) { last[String(parts[0])] = number }
        }
        return last
    }
}
#endif
